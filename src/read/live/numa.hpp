#pragma once

#include "model/recording.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Reads how many NUMA nodes the host has and, where there is more than one, which processor package each device is
/// at: the package of the first processor of its node. Unknown for devices
/// whose node is unknown.
void read_numa(const Folder& sys, Recording& recording);

}  // namespace gpucoop
