#include "codeobj/metadata.hpp"

#include "codeobj/msgpack.hpp"

namespace gpucoop::codeobj {
namespace {

/// The arguments of a kernel; sets `hostcall` where one of them is the buffer.
bool read_arguments(MsgPack& in, bool& hostcall) {
  const auto count = in.array();
  if (!count) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto pairs = in.map();
    if (!pairs) return false;
    for (std::uint64_t p = 0; p < *pairs; ++p) {
      const auto key = in.text();
      if (!key) return false;
      if (*key != ".value_kind") {
        if (!in.skip()) return false;
        continue;
      }
      const auto kind = in.text();
      if (!kind) return false;
      hostcall |= *kind == "hidden_hostcall_buffer";
    }
  }
  return true;
}

bool read_kernels(MsgPack& in, KernelTally& kernels) {
  const auto count = in.array();
  if (!count) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto pairs = in.map();
    if (!pairs) return false;
    std::string_view name;
    bool hostcall = false;
    for (std::uint64_t p = 0; p < *pairs; ++p) {
      const auto key = in.text();
      if (!key) return false;
      if (*key == ".name") {
        const auto text = in.text();
        if (!text) return false;
        name = *text;
      } else if (*key == ".args") {
        if (!read_arguments(in, hostcall)) return false;
      } else if (!in.skip()) {
        return false;
      }
    }
    kernels.add(name, hostcall);
  }
  return true;
}

}  // namespace

bool read_metadata(std::span<const std::uint8_t> bytes, KernelTally& kernels, std::string& target) {
  MsgPack in(bytes);
  const auto pairs = in.map();
  if (!pairs) return false;
  for (std::uint64_t p = 0; p < *pairs; ++p) {
    const auto key = in.text();
    if (!key) return false;
    if (*key == "amdhsa.target") {
      const auto text = in.text();
      if (!text) return false;
      target = *text;
    } else if (*key == "amdhsa.kernels") {
      if (!read_kernels(in, kernels)) return false;
    } else if (!in.skip()) {
      return false;
    }
  }
  return true;
}

bool read_metadata_v2(std::string_view text, KernelTally& kernels) {
  // Kernels:
  //   - Name:            one
  //     Args:
  //       - …
  //         ValueKind:       HiddenHostcallBuffer
  bool in_kernels = false;
  bool in_one = false;
  bool hostcall = false;
  std::string_view name;
  std::size_t column = 0;
  const auto end_kernel = [&] {
    if (in_one) kernels.add(name, hostcall);
    in_one = hostcall = false;
    name = {};
  };
  bool ended = false;
  while (!text.empty() && !ended) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos) continue;
    line.remove_prefix(indent);
    ended = line == "..." || line.front() == '\0';
    if (indent == 0) {
      end_kernel();
      in_kernels = line.starts_with("Kernels:");
      column = 0;
      continue;
    }
    if (!in_kernels) continue;
    if (line.starts_with("- ") && (column == 0 || indent == column)) {
      end_kernel();
      in_one = true;
      column = indent;
      line.remove_prefix(2);
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto from = line.find_first_not_of(' ', colon + 1);
    const auto value = from == std::string_view::npos ? std::string_view() : line.substr(from);
    // Its own name stands at the beginning, those of its arguments further in.
    if (line.starts_with("Name:") && indent <= column + 2 && name.empty()) name = value;
    hostcall |= line.find("ValueKind:") != std::string_view::npos && value.starts_with("HiddenHostcallBuffer");
  }
  end_kernel();
  return ended;
}

}  // namespace gpucoop::codeobj
