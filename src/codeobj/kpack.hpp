#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codeobj/collector.hpp"
#include "codeobj/source.hpp"

namespace gpucoop::codeobj {

inline constexpr std::string_view kKpackMagic = "KPAK";
/// Stands for the target in the paths of a reference.
inline constexpr std::string_view kKpackPlaceholder = "@GFXARCH@";

/// What a library whose device code was split off says about where it is (section `.rocm_kpack_ref`).
struct KpackReference {
  std::string name;                ///< the library's own, by which archives list its code
  std::vector<std::string> paths;  ///< relative to the library's folder
};
/// Nothing where the bytes are damaged. What comes after the reference is padding.
[[nodiscard]] std::optional<KpackReference> read_kpack_reference(std::span<const std::uint8_t> bytes);

/// Reads the code objects of an archive that are listed for the library `name`, all of them where it is empty (ROCm,
/// rocm-kpack: archive format version 1, plain and zstd for each kernel). Gives how many there are; damage goes to the
/// collector.
std::uint64_t read_kpack(Source& file, std::string_view path, std::string_view name, Collector& collector);

}  // namespace gpucoop::codeobj
