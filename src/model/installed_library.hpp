#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/library.hpp"

namespace gpucoop {

/// How a library was found, in the order in which the engines of PyTorch load: what is preloaded, then what their own
/// environment brings (its path is written into the package), then the dynamic loader's ways.
enum class FoundBy : std::uint8_t {
  given,          ///< named on the command line
  preload,        ///< LD_PRELOAD, or VLLM_NCCL_SO_PATH of vLLM
  environment,    ///< of pip or conda, active or given
  library_path,   ///< LD_LIBRARY_PATH
  loader_cache,   ///< /etc/ld.so.cache
  system_python,  ///< packages of the system's Python, as container images have them
  system_folder,  ///< a folder that the loader looks into without being told
  vendor_folder,  ///< /opt/rocm*, /opt/intel: only what is started with its path loads from there
};
/// `given`, `preload`, `environment`, `library-path`, `loader-cache`, `system-python`, `system-folder`,
/// `vendor-folder`.
[[nodiscard]] std::string_view to_string(FoundBy by);

/// A library that a host has, and what it carries. A list of them is in the order in which they would be loaded: of
/// several for one vendor's GPUs the first counts.
struct InstalledLibrary {
  std::string file;   ///< its name without folders: `librccl.so.1`
  std::string place;  ///< where it was found, for people: a folder, a file; never recorded
  FoundBy found_by = FoundBy::given;
  Library library;
};

/// Whether the vendor's engines use this one for collectives: RCCL, NCCL, oneCCL; of a file that somebody names,
/// whatever has code for the vendor's GPUs.
[[nodiscard]] bool serves(const InstalledLibrary& installed, Vendor vendor);

}  // namespace gpucoop
