#include "read/live/slots.hpp"

namespace gpucoop {

void read_slots(const Folder& sys, std::vector<PciDevice>& devices) {
  const auto slots = sys.folder("bus/pci/slots");
  for (const auto& name : slots.names()) {
    const auto text = slots.folder(name).text("address");
    const auto first = text.is_known() ? parse_address(text.value() + ".0") : std::nullopt;
    if (!first) continue;
    for (auto& device : devices) {
      const auto& a = device.address;
      const bool here = a.domain == first->domain && a.bus == first->bus && a.device == first->device;
      if (here && !device.physical_slot.is_known()) device.physical_slot = name;
    }
  }
}

}  // namespace gpucoop
