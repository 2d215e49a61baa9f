#pragma once

#include "model/recording.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Reads from KFD's topology what the driver decided about AtomicOps: `driver_atomics` of each GPU that has a link to a
/// processor's node. A node whose reading is refused belongs to a GPU that the device cgroup hides
/// (kfd_devcgroup_check_permission): which one is not told, so it is unknown for AMD GPUs without a node of their own.
void read_kfd(const Folder& sys, Recording& recording);

}  // namespace gpucoop
