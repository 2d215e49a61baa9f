#pragma once

#include "model/recording.hpp"
#include "read/live/roots.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Reads the kernel log from `dev/kmsg` without waiting and keeps the lines that `rules` know, if the kernel itself
/// wrote them. `HostReading::kernel_log` is false where the kernel has overwritten the log's beginning, so that what is
/// missing from it says nothing. In a copy `kmsg` is a file that holds the records one after the other.
void read_kernel_log(const Roots& roots, const Rules& rules, Recording& recording);

}  // namespace gpucoop
