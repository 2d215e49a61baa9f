#pragma once

#include "model/recording.hpp"
#include "read/live/roots.hpp"

namespace gpucoop {

/// Reads who may open the device nodes of the GPUs: `/dev/kfd` where amdgpu drives one, `/dev/dri/renderD*`,
/// `/dev/nvidia*`. None is opened, which would wake or use the device: the kernel is asked for its permissions
/// (access). A node that the driver has made in sysfs and that is not in /dev is absent. In a copy only the permission
/// bits are known.
void read_nodes(const Roots& roots, Recording& recording);

}  // namespace gpucoop
