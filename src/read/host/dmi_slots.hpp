#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/host.hpp"

namespace gpucoop {

struct DmiSlots {
  std::vector<FirmwareSlot> slots;
  bool damaged = false;  ///< the table ends inside a structure, or a structure states a length that cannot be
};

/// Reads the System Slots (type 9) of a raw SMBIOS structure table, as in sysfs `firmware/dmi/tables/DMI` (DSP0134
/// 7.10; drivers/firmware/dmi_scan.c dmi_save_system_slot). Fields beyond the length that a structure states are absent
/// where older versions of the standard do not have them. What comes before damage is kept. At most 256 slots.
[[nodiscard]] DmiSlots read_dmi_slots(std::span<const std::uint8_t> table);

}  // namespace gpucoop
