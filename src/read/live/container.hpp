#pragma once

#include "model/recording.hpp"
#include "read/live/roots.hpp"

namespace gpucoop {

/// Whether the reader runs in a container, by what runtimes leave there (`/.dockerenv`, `/run/.containerenv`,
/// `/run/systemd/container`, the control groups of the reader, the environment of process 1 where it may be read).
/// Where all of the reader's namespaces are the host's first ones it is in none, whatever files lie about. Also
/// whether its user ids are mapped.
void read_container(const Roots& roots, HostReading& host);

}  // namespace gpucoop
