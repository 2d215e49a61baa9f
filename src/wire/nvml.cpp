#include "wire/nvml.hpp"

#include <array>
#include <utility>

#include "base/packed.hpp"
#include "wire/frame.hpp"

namespace gpucoop::wire {

namespace {

constexpr std::uint32_t kKind = 0x4E000001;  // changes with every change of the fields

std::string packed(const NvmlState& state) {
  packed::Packer packer;
  packer(kKind, state);
  return packer.take();
}

}  // namespace

std::vector<std::string> clock_reason_words(std::uint64_t reasons) {
  // Bits of nvmlDeviceGetCurrentClocksEventReasons.
  constexpr std::array<std::pair<std::uint64_t, const char*>, 7> words{{
      {0x2, "clocks set by an application"},
      {0x4, "power cap"},
      {0x8, "slowdown (hardware)"},
      {0x10, "synchronised boost"},
      {0x20, "thermal (software)"},
      {0x40, "thermal (hardware)"},
      {0x80, "power brake (hardware)"},
  }};
  std::vector<std::string> found;
  for (const auto& [bit, word] : words)
    if ((reasons & bit) != 0) found.emplace_back(word);
  return found;
}

std::string encode(const NvmlState& state) {
  std::string bytes = packed(state);
  if (bytes.size() <= kMostFrame) return bytes;
  NvmlState less = state;
  less.pairs.clear();
  bytes = packed(less);
  if (bytes.size() <= kMostFrame) return bytes;
  NvmlState none;
  none.trouble = "more GPUs and processes than can be told";
  return packed(none);
}

Result<NvmlState> decode_nvml(std::string_view bytes) {
  std::uint32_t kind = 0;
  NvmlState state;
  if (bytes.size() <= kMostFrame) {
    packed::Unpacker unpacker(bytes);
    unpacker(kind, state);
  }
  // There is one way to write a value: what is missing or left over shows when it is written again.
  if (kind == kKind && packed(state) == bytes) return state;
  return Error{ExitCode::bad_input, "these bytes are no answer of NVIDIA's management library", "", ""};
}

}  // namespace gpucoop::wire
