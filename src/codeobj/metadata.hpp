#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "codeobj/kernels.hpp"

namespace gpucoop::codeobj {

/// Reads the list of kernels of code object versions 3 to 6 (MessagePack; LLVM, "Code Object V3 Metadata"). `target` is
/// its `amdhsa.target`, where there is one. False where the bytes end too early or are not what they should be.
[[nodiscard]] bool read_metadata(std::span<const std::uint8_t> bytes, KernelTally& kernels, std::string& target);

/// The same for version 2, whose list is YAML. Only block style as the compiler writes it is understood.
[[nodiscard]] bool read_metadata_v2(std::string_view text, KernelTally& kernels);

}  // namespace gpucoop::codeobj
