#include "analyse/catalogue.hpp"

#include <algorithm>

namespace gpucoop {
namespace {

bool matches(const DeviceRule& rule, const PciDevice& device) {
  if (device.vendor_id.is_known() && device.device_id.is_known()) {
    const auto id = device.device_id.value();
    return device.vendor_id.value() == rule.vendor && id >= rule.first_device && id <= rule.last_device;
  }
  const auto* name = device.name.get();
  if (name == nullptr) return false;
  return std::any_of(rule.name_contains.begin(), rule.name_contains.end(),
                     [&](const std::string& part) { return !part.empty() && name->find(part) != std::string::npos; });
}

}  // namespace

Catalogue::Catalogue(const Rules& rules) {
  for (const auto& rule : rules.devices) {
    const auto slot = static_cast<std::size_t>(rule.kind);
    if (slot >= by_kind_.size()) by_kind_.resize(slot + 1);
    by_kind_[slot].push_back(&rule);
  }
}

const DeviceRule* Catalogue::find(DeviceKind kind, const PciDevice& device) const {
  const auto slot = static_cast<std::size_t>(kind);
  if (slot >= by_kind_.size()) return nullptr;
  const auto& rules = by_kind_[slot];
  const auto it =
      std::find_if(rules.begin(), rules.end(), [&](const DeviceRule* rule) { return matches(*rule, device); });
  return it == rules.end() ? nullptr : *it;
}

}  // namespace gpucoop
