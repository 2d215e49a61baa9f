#include "codeobj/amd_target.hpp"

#include <algorithm>
#include <array>

namespace gpucoop::codeobj {
namespace {

struct Processor {
  std::uint8_t mach;  ///< EF_AMDGPU_MACH_AMDGCN_… of LLVM's BinaryFormat/ELF.h
  std::string_view name;
  std::string_view family = {};
  bool xnack = false;    ///< has the switch
  bool sramecc = false;  ///< has the switch
};

constexpr std::string_view kGeneric = "-generic";

// LLVM, "User Guide for AMDGPU Backend": processors, generic processors, and the ELF header's flags.
constexpr auto kProcessors = std::to_array<Processor>({
    {0x20, "gfx600"},
    {0x21, "gfx601"},
    {0x22, "gfx700"},
    {0x23, "gfx701"},
    {0x24, "gfx702"},
    {0x25, "gfx703"},
    {0x26, "gfx704"},
    {0x28, "gfx801", "", true},
    {0x29, "gfx802"},
    {0x2a, "gfx803"},
    {0x2b, "gfx810", "", true},
    {0x2c, "gfx900", "gfx9-generic", true},
    {0x2d, "gfx902", "gfx9-generic", true},
    {0x2e, "gfx904", "gfx9-generic", true},
    {0x2f, "gfx906", "gfx9-generic", true, true},
    {0x30, "gfx908", "", true, true},
    {0x31, "gfx909", "gfx9-generic", true},
    {0x32, "gfx90c", "gfx9-generic", true},
    {0x33, "gfx1010", "gfx10-1-generic", true},
    {0x34, "gfx1011", "gfx10-1-generic", true},
    {0x35, "gfx1012", "gfx10-1-generic", true},
    {0x36, "gfx1030", "gfx10-3-generic"},
    {0x37, "gfx1031", "gfx10-3-generic"},
    {0x38, "gfx1032", "gfx10-3-generic"},
    {0x39, "gfx1033", "gfx10-3-generic"},
    {0x3a, "gfx602"},
    {0x3b, "gfx705"},
    {0x3c, "gfx805"},
    {0x3d, "gfx1035", "gfx10-3-generic"},
    {0x3e, "gfx1034", "gfx10-3-generic"},
    {0x3f, "gfx90a", "", true, true},
    {0x40, "gfx940", "gfx9-4-generic", true, true},
    {0x41, "gfx1100", "gfx11-generic"},
    {0x42, "gfx1013", "gfx10-1-generic", true},
    {0x43, "gfx1150", "gfx11-generic"},
    {0x44, "gfx1103", "gfx11-generic"},
    {0x45, "gfx1036", "gfx10-3-generic"},
    {0x46, "gfx1101", "gfx11-generic"},
    {0x47, "gfx1102", "gfx11-generic"},
    {0x48, "gfx1200", "gfx12-generic"},
    {0x49, "gfx1250", "gfx12-5-generic"},
    {0x4a, "gfx1151", "gfx11-generic"},
    {0x4b, "gfx941", "gfx9-4-generic", true, true},
    {0x4c, "gfx942", "gfx9-4-generic", true, true},
    {0x4e, "gfx1201", "gfx12-generic"},
    {0x4f, "gfx950", "gfx9-4-generic", true, true},
    {0x51, "gfx9-generic", "", true},
    {0x52, "gfx10-1-generic", "", true},
    {0x53, "gfx10-3-generic"},
    {0x54, "gfx11-generic"},
    {0x55, "gfx1152", "gfx11-generic"},
    {0x58, "gfx1153", "gfx11-generic"},
    {0x59, "gfx12-generic"},
    {0x5a, "gfx1251", "gfx12-5-generic"},
    {0x5b, "gfx12-5-generic"},
    {0x5c, "gfx1172"},
    {0x5d, "gfx1170"},
    {0x5e, "gfx1171"},
    {0x5f, "gfx9-4-generic", "", true, true},
});

void append(std::string& name, std::string_view feature, TargetFeature state) {
  if (state == TargetFeature::any) return;
  name += ':';
  name += feature;
  name += state == TargetFeature::on ? '+' : '-';
}

bool is_processor_name(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  if (text.size() < 6 || text.size() > kLongest || !text.starts_with("gfx")) return false;
  const bool family = text.ends_with(kGeneric);
  if (family) text.remove_suffix(kGeneric.size());
  text.remove_prefix(3);
  return !text.empty() && std::ranges::all_of(text, [family](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (family && c == '-');
  });
}

/// The two bits of versions 4 and later: not supported, any, off, on.
TargetFeature feature(std::uint32_t bits) {
  return bits == 2 ? TargetFeature::off : bits == 3 ? TargetFeature::on : TargetFeature::any;
}

}  // namespace

std::string AmdTarget::name() const {
  std::string text = processor;
  append(text, "sramecc", sramecc);
  append(text, "xnack", xnack);
  return text;
}

std::optional<AmdTarget> parse_amd_target(std::string_view text) {
  // What comes before has no "gfx" of its own: kinds (`hipv4`), a triple, an environment that is mostly empty.
  const auto begin = text.find("gfx");
  if (begin == std::string_view::npos || (begin > 0 && text[begin - 1] != '-')) return std::nullopt;
  text.remove_prefix(begin);
  AmdTarget target;
  auto colon = text.find(':');
  target.processor = text.substr(0, colon);
  if (!is_processor_name(target.processor)) return std::nullopt;
  while (colon != std::string_view::npos) {
    text.remove_prefix(colon + 1);
    colon = text.find(':');
    const auto word = text.substr(0, colon);
    if (word.size() < 2 || (word.back() != '+' && word.back() != '-')) return std::nullopt;
    const auto state = word.back() == '+' ? TargetFeature::on : TargetFeature::off;
    const auto feature_name = word.substr(0, word.size() - 1);
    if (feature_name == "sramecc" && target.sramecc == TargetFeature::any) {
      target.sramecc = state;
    } else if (feature_name == "xnack" && target.xnack == TargetFeature::any) {
      target.xnack = state;
    } else {
      return std::nullopt;
    }
  }
  return target;
}

std::optional<AmdTarget> amd_target(std::uint32_t flags, std::uint8_t abi_version) {
  constexpr std::uint8_t kVersion3 = 1;
  constexpr std::uint8_t kVersion6 = 4;
  if (abi_version < kVersion3 || abi_version > kVersion6) return std::nullopt;
  const auto found = std::ranges::find(kProcessors, flags & 0xff, &Processor::mach);
  if (found == kProcessors.end()) return std::nullopt;
  AmdTarget target;
  target.processor = found->name;
  if (abi_version == kVersion3) {
    // One bit each, and off means off.
    if (found->xnack) target.xnack = (flags & 0x100) != 0 ? TargetFeature::on : TargetFeature::off;
    if (found->sramecc) target.sramecc = (flags & 0x200) != 0 ? TargetFeature::on : TargetFeature::off;
  } else {
    target.xnack = feature(flags >> 8 & 3);
    target.sramecc = feature(flags >> 10 & 3);
  }
  return target;
}

std::optional<AmdTarget> amd_target_v2(std::uint32_t major, std::uint32_t minor, std::uint32_t stepping) {
  if (major > 99 || minor > 9 || stepping > 15) return std::nullopt;
  constexpr std::uint32_t kLastOfPairs = 7;
  const bool paired = major == 9 && minor == 0 && stepping <= kLastOfPairs;
  const bool replay = paired && stepping % 2 == 1;
  AmdTarget target;
  target.processor =
      "gfx" + std::to_string(major) + std::to_string(minor) + "0123456789abcdef"[stepping - (replay ? 1 : 0)];
  const auto found = std::ranges::find(kProcessors, target.processor, &Processor::name);
  if (found == kProcessors.end()) return std::nullopt;
  if (found->xnack) target.xnack = replay || major == 8 ? TargetFeature::on : TargetFeature::off;
  if (found->sramecc) target.sramecc = TargetFeature::off;
  return target;
}

bool is_generic(std::string_view processor) { return processor.ends_with(kGeneric); }

bool is_member(std::string_view family, std::string_view processor) {
  return std::ranges::any_of(
      kProcessors, [&](const Processor& p) { return !p.family.empty() && p.family == family && p.name == processor; });
}

}  // namespace gpucoop::codeobj
