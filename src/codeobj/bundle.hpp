#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codeobj/source.hpp"

namespace gpucoop::codeobj {

inline constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
inline constexpr std::string_view kCompressedMagic = "CCOB";

struct BundleEntry {
  std::uint64_t offset = 0;  ///< from the bundle's beginning
  std::uint64_t size = 0;
  std::string id;  ///< `hipv4-amdgcn-amd-amdhsa--gfx1201`
};

/// The table of a bundle, by offset. Entries for the host and empty ones are left out.
struct Bundle {
  std::vector<BundleEntry> entries;
  std::uint64_t end = 0;  ///< the end of the table, or of the last entry
};

/// Nothing, with `why`, where the table is damaged. Reads forwards only, so a stream will do.
[[nodiscard]] std::optional<Bundle> read_bundle(Source& source, std::string& why);

/// The header of a compressed bundle.
struct CompressedBundle {
  enum class Method : std::uint8_t { zlib, zstd } method = Method::zlib;
  std::uint64_t header = 0;                ///< bytes
  std::optional<std::uint64_t> file_size;  ///< with header; version 1 does not say
  std::uint64_t size = 0;                  ///< uncompressed
};
[[nodiscard]] std::optional<CompressedBundle> read_compressed(Source& source, std::string& why);

}  // namespace gpucoop::codeobj
