#pragma once

#include "model/recording.hpp"
#include "read/live/kfd_topology.hpp"

namespace gpucoop {

/// Writes what KFD's topology states into the recording: of each GPU `kfd` and, from its link to a processor's node,
/// what the driver decided about AtomicOps (`driver_atomics`); the links between GPUs, and as fabric those over XGMI
/// (their count and rate are not stated). A refused node belongs to a GPU that the device cgroup hides: which one is
/// not told, so AMD GPUs without a node of their own are `hidden_by_container`. Where the topology was not read to its
/// end they are unknown for the reason `missing`, and so are `partitions` of all GPUs.
void apply_kfd(const KfdTopology& topology, Reason missing, Recording& recording);

/// The device of a GPU's node, or null. A partition has its number in place of the function.
[[nodiscard]] PciDevice* device_of(const KfdNode& node, Recording& recording);

}  // namespace gpucoop
