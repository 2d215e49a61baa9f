#pragma once

#include "analyse/chain.hpp"
#include "model/topology.hpp"

namespace gpucoop {

/// Marks the steps of a GPU's chain that belong to the graphics card itself (AMD and Intel card switches, boards with
/// several GPUs) and those that belong to the board's chipset.
void mark_parts(const DeviceTree& tree, const Catalogue& catalogue, Vendor vendor, Chain& chain);

/// True where a GPU of this vendor may carry a switch of its own, so that the GPU function's link alone says
/// nothing about the slot (AMD from Vega on, Intel Arc).
[[nodiscard]] bool may_have_card_switch(Vendor vendor);

}  // namespace gpucoop
