#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/inspection.hpp"
#include "model/recording.hpp"
#include "model/topology.hpp"
#include "options.hpp"
#include "read/libraries/find.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Looks into these files, which somebody named. The error of the first that is no library.
[[nodiscard]] Result<std::vector<InspectedLibrary>> inspect_named(const std::vector<std::string>& files,
                                                                  const Topology& topology, bool hash);

struct InspectedHost {
  std::vector<InspectedLibrary> libraries;
  std::vector<Warning> warnings;  ///< what could not be looked through
};
/// Finds libraries and looks into them. One that cannot be read stays in the list, as one of which nothing is known.
[[nodiscard]] Result<InspectedHost> inspect_found(const LibrarySearch& search, bool only_collective,
                                                  const Topology& topology, bool hash);

/// Puts into the recording what its host's collective libraries carry: those that are named, or, where the host is read
/// itself (`live`), those that it has, if that was asked for or an AMD GPU is there for which PCIe atomics are not
/// known to reach the CPU. Only then a mode hangs on them, and to look takes seconds.
[[nodiscard]] Status take_libraries(Recording& recording, const InputOptions& inputs, bool live, bool hash,
                                    const Rules& rules);

}  // namespace gpucoop
