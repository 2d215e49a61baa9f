#include "runtime/host/memory.hpp"

#include <iterator>

namespace gpucoop::runtime::host {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return bytes == 0 ? kPage : (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

Part::Part(std::uint64_t offset, std::uint64_t bytes) : bytes_(bytes) { free_.emplace(offset, bytes); }

std::optional<std::uint64_t> Part::take(std::uint64_t bytes) {
  if (bytes > bytes_) return std::nullopt;
  const std::uint64_t wanted = whole_pages(bytes);
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->second < wanted) continue;
    const std::uint64_t offset = it->first;
    const std::uint64_t left = it->second - wanted;
    free_.erase(it);
    if (left != 0) free_.emplace(offset + wanted, left);
    return offset;
  }
  return std::nullopt;
}

void Part::give_back(std::uint64_t offset, std::uint64_t bytes) {
  auto it = free_.emplace(offset, whole_pages(bytes)).first;
  const auto next = std::next(it);
  if (next != free_.end() && it->first + it->second == next->first) {
    it->second += next->second;
    free_.erase(next);
  }
  if (it == free_.begin()) return;
  const auto previous = std::prev(it);
  if (previous->first + previous->second != it->first) return;
  previous->second += it->second;
  free_.erase(it);
}

}  // namespace gpucoop::runtime::host
