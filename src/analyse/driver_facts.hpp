#pragma once

#include "analyse/fact_list.hpp"
#include "analyse/gpu_view.hpp"
#include "analyse/pairs.hpp"

namespace gpucoop {

/// What the driver states about an AMD GPU through KFD's topology: its instruction set, the firmware of its compute
/// engines, whether the compute driver takes it at all, and of any GPU its memory. What the driver does not state about
/// the generation of a GPU its device id tells, by the catalogue.
void add_driver_facts(const GpuView& view, const Catalogue& catalogue, FactList& facts);

/// `p2p.driver` of each pair of AMD GPUs and each direction: whether the driver lists a link that peers may use.
void add_driver_link_facts(const Recording& recording, const std::vector<JudgedPair>& pairs, FactList& facts);

/// Whether AMD's driver rules XGMI out between two GPUs that it lists: they are in different hives, or one is in none.
[[nodiscard]] bool without_xgmi(const PciDevice& a, const PciDevice& b);

}  // namespace gpucoop
