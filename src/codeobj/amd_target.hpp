#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/library.hpp"

namespace gpucoop::codeobj {

/// A processor and how its switches have to stand (LLVM, "User Guide for AMDGPU Backend": target id).
struct AmdTarget {
  std::string processor;
  TargetFeature sramecc = TargetFeature::any;
  TargetFeature xnack = TargetFeature::any;

  /// `gfx90a:sramecc+:xnack-`.
  [[nodiscard]] std::string name() const;
  friend bool operator==(const AmdTarget&, const AmdTarget&) = default;
};

/// From a target id with or without what tools put before it: `gfx1201`, `amdgcn-amd-amdhsa--gfx90a:xnack-`,
/// `hipv4-amdgcn-amd-amdhsa--gfx1201`.
[[nodiscard]] std::optional<AmdTarget> parse_amd_target(std::string_view text);

/// From the header of an AMDGPU ELF file. `abi_version` is that of e_ident: 1 is code object version 3, … 4 is 6.
/// Nothing for a version or a processor number that is not known here, and for version 2, which has none.
[[nodiscard]] std::optional<AmdTarget> amd_target(std::uint32_t flags, std::uint8_t abi_version);

/// From the note of code object version 2, which counts a processor with xnack on as one of its own (9.0.7 is
/// gfx906:xnack+; ROCm, amd_comgr). Nothing for numbers that no processor has.
[[nodiscard]] std::optional<AmdTarget> amd_target_v2(std::uint32_t major, std::uint32_t minor, std::uint32_t stepping);

/// True for `gfx11-generic` and the like.
[[nodiscard]] bool is_generic(std::string_view processor);
/// Whether code for the family runs on the processor. False where `family` is not known here.
[[nodiscard]] bool is_member(std::string_view family, std::string_view processor);

}  // namespace gpucoop::codeobj
