#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/library.hpp"

namespace gpucoop {

/// What `inspect_library` should know that is not in the file.
struct InspectOptions {
  bool hash = true;  ///< read the whole file for its SHA-256
  /// AMD targets of the host's GPUs (`gfx1201`): archives missing for them are named in `Library::kpacks`.
  std::vector<std::string> amd_targets;
  /// The values of ROCM_KPACK_PATH (archives that are used instead of the ones that the library names) and
  /// ROCM_KPACK_PATH_PREFIX (archives that are looked into first), `:` between entries; empty where unset.
  std::string kpack_path;
  std::string kpack_path_prefix;
};

/// What the file carries, read in bounded pieces and never executed: a shared library or program (ELF64, little
/// endian), a bare bundle, AMD code object, kpack archive or NVIDIA fat binary. Damage inside device code gives
/// warnings and `complete` = false. An `Error` where the file is missing (66), may not be read (77), or is none of
/// these or damaged in what everything else hangs on (65).
[[nodiscard]] Result<Library> inspect_library(const std::string& path, const InspectOptions& options = {});

}  // namespace gpucoop
