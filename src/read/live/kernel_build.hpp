#pragma once

#include "model/recording.hpp"
#include "read/live/reports.hpp"
#include "read/live/roots.hpp"

namespace gpucoop {

/// Reports which options the running kernel was built with (/proc/config.gz, else /boot/config-RELEASE; only those for
/// peer traffic), and of the modules that drive GPUs which are loaded, in what version, and amdgpu's parameter
/// `pcie_p2p`.
void read_kernel_build(const Roots& roots, Reports& reports);

/// Takes the message that has it; false where this is another.
bool take_kernel_build(const std::string& message, HostReading& host);

}  // namespace gpucoop
