#pragma once

#include "base/error.hpp"
#include "model/recording.hpp"
#include "read/live/roots.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Reads the running host (`Recording::live`), or a copy of another one's sysfs and procfs, without writing anything
/// and without waking a device. What cannot be read is unknown with its reason: missing rights show in what came back,
/// not in the user's id. A device that vanishes while the list is read is left out, with a warning; one whose folder
/// may not be read is kept without its class, and the listing then does not count as complete. `lists_devices` is false
/// where the kernel shows no PCI bus. Fails with `no_such_input` where `sys` is no folder and with `permission` where
/// it may not be opened. Of the kernel log only the lines that `rules` know are kept.
[[nodiscard]] Result<Recording> read_live(const Roots& roots, const Rules& rules);

}  // namespace gpucoop
