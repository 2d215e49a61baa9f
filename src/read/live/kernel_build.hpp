#pragma once

#include "model/recording.hpp"
#include "read/live/roots.hpp"

namespace gpucoop {

/// Reads which options the running kernel was built with (/proc/config.gz, else /boot/config-RELEASE; only those for
/// peer traffic), and of the modules that drive GPUs which are loaded, in what version, and amdgpu's parameter
/// `pcie_p2p`. Needs `HostReading::kernel`.
void read_kernel_build(const Roots& roots, HostReading& host);

}  // namespace gpucoop
