#pragma once

#include "model/recording.hpp"
#include "read/live/reader_child.hpp"
#include "read/live/roots.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Reads in a reader child what a wedged GPU driver can block, where there is a GPU: KFD's topology, driver attributes
/// and who holds the GPUs. What was not read within the deadline is unknown (`timeout`), and a warning names what could
/// not be read. Devices must have been read before.
void read_guarded(const Roots& roots, const Rules& rules, const ChildLimits& limits, Recording& recording);

}  // namespace gpucoop
