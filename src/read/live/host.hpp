#pragma once

#include "model/recording.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Reads what sysfs and procfs say about the host itself: board and maker (never serials or host names), kernel
/// release, the parameters that the allowlist admits, the first processor's kind and whether it runs in a virtual
/// machine. Does not read the IOMMU.
void read_host(const Folder& sys, const Folder& proc, HostReading& host);

}  // namespace gpucoop
