#pragma once

#include "model/recording.hpp"
#include "read/live/roots.hpp"

namespace gpucoop {

/// Reads what is known of the host itself, after its devices: board and maker (never serials or host names), the
/// kernel, the parameters that the allowlist admits, the first processor's kind, whether it is a virtual machine or a
/// container, IOMMU, NUMA, the firmware's slots, limits and device nodes.
void read_host(const Roots& roots, Recording& recording);

}  // namespace gpucoop
