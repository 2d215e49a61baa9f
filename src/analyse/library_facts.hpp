#pragma once

#include <vector>

#include "model/inspection.hpp"
#include "model/recording.hpp"
#include "model/topology.hpp"

namespace gpucoop {

/// Adds what the installed collective library is to each AMD and NVIDIA GPU: `library.code_object` and, of AMD's,
/// `library.hostcall`. Of several libraries for a GPU the first counts, which is the one that PyTorch's engines would
/// load; where another one answers otherwise, a warning says so. Adds nothing where nobody has looked for libraries.
void add_library_facts(const Recording& recording, Topology& topology);

/// The answers of `libraries` for the GPUs of the host.
[[nodiscard]] Inspection inspection_of(std::vector<InspectedLibrary> libraries, const Topology& topology);

}  // namespace gpucoop
