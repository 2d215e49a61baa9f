#include "analyse/slot.hpp"

namespace gpucoop {

Known<std::string> slot_of(const PciDevice& device) {
  if (device.slot_label.is_known() && !device.slot_label.value().empty()) return device.slot_label;
  if (device.physical_slot.is_known() && !device.physical_slot.value().empty()) return device.physical_slot;
  const auto* express = device.express.get();
  if (express != nullptr && express->slot_implemented.is(true) && express->physical_slot_number.is_known() &&
      express->physical_slot_number.value() != 0) {
    return std::to_string(express->physical_slot_number.value());
  }
  return {};
}

Known<std::string> slot_of(const Chain& chain) {
  for (std::size_t i = chain.steps.size(); i-- > 0;) {
    const auto& step = chain.steps[i];
    if (step.device != nullptr) {
      auto slot = slot_of(*step.device);
      if (slot.is_known()) return slot;
    }
    const bool of_card = i + 1 == chain.steps.size() || step.on_card;
    if (!of_card || step.gap_above) break;
  }
  return {};
}

}  // namespace gpucoop
