#include "collective/host/scratch.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/patience.hpp"

namespace gpucoop::collective::host {
namespace {

constexpr std::uint64_t kPage = std::uint64_t{64} << 10U;

constexpr std::uint64_t pages_of(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage; }

/// Held for microseconds; whoever was killed holding it keeps it, and nobody waits longer than this.
bool lock(std::atomic<std::uint32_t>& word) {
  runtime::Patience patience(std::chrono::steady_clock::now() + std::chrono::seconds(5));
  std::uint32_t free = 0;
  while (!word.compare_exchange_weak(free, 1, std::memory_order_acquire)) {
    free = 0;
    if (!patience.wait()) return false;
  }
  return true;
}

}  // namespace

Scratch::Scratch(std::byte* arena, const wire::ArenaLayout& layout)
    : arena_(arena),
      layout_(layout),
      control_(static_cast<Control*>(static_cast<void*>(arena))),
      pages_(std::min<std::uint64_t>(layout.scratch_bytes / kPage, control_->taken.size())) {}

std::optional<std::uint64_t> Scratch::take(std::uint64_t bytes) {
  const std::uint64_t wanted = pages_of(bytes);
  if (!lock(control_->lock)) return std::nullopt;
  std::optional<std::uint64_t> found;
  std::uint64_t run = 0;
  for (std::uint64_t i = 0; i < pages_ && !found; ++i) {
    run = control_->taken[i] == 0 ? run + 1 : 0;
    if (run == wanted) found = i + 1 - wanted;
  }
  if (found) std::fill_n(control_->taken.begin() + static_cast<std::ptrdiff_t>(*found), wanted, std::uint8_t{1});
  control_->lock.store(0, std::memory_order_release);
  if (!found) return std::nullopt;
  return layout_.scratch_offset + *found * kPage;
}

void Scratch::give_back(std::uint64_t offset, std::uint64_t bytes) {
  if (!lock(control_->lock)) return;
  const auto first = static_cast<std::ptrdiff_t>((offset - layout_.scratch_offset) / kPage);
  std::fill_n(control_->taken.begin() + first, pages_of(bytes), std::uint8_t{0});
  control_->lock.store(0, std::memory_order_release);
}

std::byte* Scratch::at(std::uint64_t offset, std::uint64_t bytes) const {
  const std::uint64_t end = layout_.scratch_offset + pages_ * kPage;
  if (offset < layout_.scratch_offset || offset > end || bytes > end - offset) return nullptr;
  return arena_ + offset;
}

}  // namespace gpucoop::collective::host
