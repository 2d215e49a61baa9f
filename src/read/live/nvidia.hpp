#pragma once

#include <vector>

#include "model/recording.hpp"
#include "read/live/holders/observations.hpp"
#include "read/live/roots.hpp"

namespace gpucoop {

/// Reads what NVIDIA's programs need beside the GPUs: the version of libcuda.so.1, by where its links lead to in the
/// folders in which drivers put it (unknown where only the loader's cache has it), and, where there are NVSwitches,
/// whether the service that sets them up has left its process number (`PID_FILE_PATH` in the Fabric Manager User
/// Guide). Nothing is loaded. Where no GPU is the nvidia driver's, nothing is read; where there is no GPU at all,
/// whether the driver is loaded.
void read_nvidia(const Roots& roots, Recording& recording);

/// Puts what the driver says about its GPUs with the devices and their nodes. A GPU that the driver has and does not
/// list, while it lists others, is absent there, as in a container that was given only some.
void apply_nvidia(const std::vector<NvidiaGpu>& gpus, Recording& recording);

}  // namespace gpucoop
