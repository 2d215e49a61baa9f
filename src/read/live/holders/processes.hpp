#pragma once

#include "read/live/folder.hpp"
#include "read/live/holders/observations.hpp"
#include "read/live/reports.hpp"

namespace gpucoop {

/// Looks at every process for what shows that it uses a GPU, and reports it: KFD's own list, open device nodes, what
/// DRM drivers state about these, and who the processes are. Files that a driver answers come last, so that the rest is
/// known where one blocks. `etc` has the list of users.
void read_processes(const Folder& sys, const Folder& proc, const Folder& etc, Reports& reports);

}  // namespace gpucoop
