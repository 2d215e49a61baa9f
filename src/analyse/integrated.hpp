#pragma once

#include "analyse/chain.hpp"
#include "model/topology.hpp"

namespace gpucoop {

/// True where the GPU is known to be inside the processor: a root-complex integrated endpoint, one of the catalogue,
/// Intel graphics at 00:02, AMD graphics at 00:01 or behind an internal bridge or beside the security processor.
/// False where nothing says so.
[[nodiscard]] bool is_integrated(const DeviceTree& tree, const Chain& chain, const Catalogue& catalogue, Vendor vendor,
                                 Tri virtualized);

}  // namespace gpucoop
