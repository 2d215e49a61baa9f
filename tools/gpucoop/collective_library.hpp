#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/warning.hpp"
#include "probe_options.hpp"

namespace gpucoop {

struct ChosenLibrary {
  std::string file;  ///< to be loaded by ranks; empty: whatever the loader finds
  std::vector<Warning> warnings;
};

/// The collective library that ranks of a backend load: the one that --library names, or else the first of --env, of
/// the active environment and of this host that programs would load. Where ranks run as root, one that others may
/// change is refused (`permission`) if it was named, and passed over with a warning if it was found. Backends without
/// such a library get none.
[[nodiscard]] Result<ChosenLibrary> choose_collective_library(const ProbeOptions& options, const std::string& backend);

}  // namespace gpucoop
