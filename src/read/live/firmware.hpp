#pragma once

#include "model/recording.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Reads the slots that the firmware lists (sysfs `firmware/dmi/tables/DMI`, for root only). Absent: the host has no
/// such tables. Damaged tables give what stands before the damage, and a warning.
void read_firmware_slots(const Folder& sys, Recording& recording);

}  // namespace gpucoop
