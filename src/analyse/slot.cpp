#include "analyse/slot.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gpucoop {
namespace {

/// Boards also name soldered devices ("Onboard IGD", "Matrox G200"). Only a name that speaks of a connector is a slot.
bool names_a_connector(std::string label) {
  constexpr std::array<std::string_view, 8> kWords = {"slot", "pci", "m.2", "m2_", "mxm", "oculink", "riser", "u.2"};
  std::transform(label.begin(), label.end(), label.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return label.find(word) != std::string::npos; });
}

}  // namespace

Known<std::string> slot_of(const PciDevice& device) {
  if (device.slot_label.is_known() && names_a_connector(device.slot_label.value())) return device.slot_label;
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
