#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace gpucoop {

/// One library that the dynamic loader would take for a name.
struct LoaderCacheEntry {
  std::string name;  ///< `librccl.so.1`
  std::string path;  ///< `/opt/rocm/lib/librccl.so.1`
};

/// The entries of /etc/ld.so.cache (glibc 2.2 and later, alone or behind the older table) whose names
/// `is_library_name` knows and that a program of this processor may load, in the cache's order, which is the loader's.
/// `bad_input` where it is no such cache, is cut off, or names what lies outside of it. (glibc
/// sysdeps/generic/dl-cache.h)
[[nodiscard]] Result<std::vector<LoaderCacheEntry>> read_loader_cache(const std::string& name,
                                                                      std::span<const std::uint8_t> bytes);

}  // namespace gpucoop
