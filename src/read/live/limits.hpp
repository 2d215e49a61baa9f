#pragma once

#include "model/recording.hpp"
#include "read/live/roots.hpp"

namespace gpucoop {

/// Reads what the system lets the reader's programs have: the size of /dev/shm (of this host only: a copy has none),
/// how much memory they may lock, and whether they may look into each other (Yama).
void read_limits(const Roots& roots, HostReading& host);

}  // namespace gpucoop
