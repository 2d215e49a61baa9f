#include "read/live/firmware.hpp"

#include <vector>

#include "read/host/dmi_slots.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;  // far beyond any board's tables

}  // namespace

void read_firmware_slots(const Folder& sys, Recording& recording) {
  auto& slots = recording.host.slots;
  const auto tables = sys.folder("firmware/dmi/tables");
  if (tables.missing()) {
    slots = Known<std::vector<FirmwareSlot>>::absent();
    return;
  }
  const auto text = tables.bytes("DMI", kMost);
  if (text.is_unknown() || !tables.ok()) {
    slots = Known<std::vector<FirmwareSlot>>::unknown(tables.ok() ? text.reason() : Reason::no_root);
    return;
  }
  if (text.is_absent()) {
    slots = Known<std::vector<FirmwareSlot>>::absent();
    return;
  }
  const std::vector<std::uint8_t> bytes(text.value().begin(), text.value().end());
  auto found = read_dmi_slots(bytes);
  slots = std::move(found.slots);
  if (found.damaged) {
    recording.warnings.push_back({"live.firmware-tables",
                                  "The firmware's tables (SMBIOS) are damaged; slots that stand after the damage are "
                                  "missing.",
                                  "firmware/dmi/tables/DMI"});
  }
}

}  // namespace gpucoop
