#pragma once

#include <string>
#include <string_view>

#include "model/recording.hpp"

namespace gpucoop {

/// Reads facts about the host from a line of text: `uname -a`, `Linux version`, the kernel command line, lscpu and
/// /proc/cpuinfo, the kernel's DMI, IOMMU and hypervisor lines. True where the line held one. The first value of a
/// field stays. Host names, serial numbers and kernel parameters outside the allowlist are never kept.
bool read_host_line(std::string_view line, HostReading& host);

/// The words of a kernel command line that the allowlist admits (IOMMU, PCI and GPU driver parameters), in order,
/// joined by blanks; empty where there are none.
[[nodiscard]] std::string admitted_parameters(std::string_view command_line);

/// Takes what a kernel command line says about the IOMMU's default domain: `iommu=pt`, `amd_iommu=off` and the like
/// say that nothing is translated; no parameter says that something is.
void read_iommu_parameters(std::string_view command_line, HostReading& host);

/// True where a vendor, product or board name is one of a virtual machine (QEMU, VMware, VirtualBox, Hyper-V, Xen…).
[[nodiscard]] bool names_virtual_machine(std::string_view name);

}  // namespace gpucoop
