#include "read/libraries/names.hpp"

#include <algorithm>
#include <array>

#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr auto kCollective = std::to_array<std::string_view>({"librccl", "libnccl", "libccl"});
constexpr auto kUsers =
    std::to_array<std::string_view>({"libggml-hip", "libggml-cuda", "libtorch_hip", "libtorch_cuda", "libtorch_xpu"});

/// `.so`, `.so.1`, `.so.2.28.9`
bool is_shared_object(std::string_view ending) {
  if (!starts_with(ending, ".so")) return false;
  ending.remove_prefix(3);
  while (!ending.empty()) {
    if (ending.front() != '.') return false;
    ending.remove_prefix(1);
    std::size_t digits = 0;
    while (digits < ending.size() && is_digit(ending[digits])) ++digits;
    if (digits == 0) return false;
    ending.remove_prefix(digits);
  }
  return true;
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& stems, std::string_view name) {
  return std::any_of(stems.begin(), stems.end(), [&](std::string_view stem) {
    return starts_with(name, stem) && is_shared_object(name.substr(stem.size()));
  });
}

}  // namespace

bool is_collective_name(std::string_view name) { return is_one_of(kCollective, name); }
bool is_library_name(std::string_view name) { return is_collective_name(name) || is_one_of(kUsers, name); }

}  // namespace gpucoop
