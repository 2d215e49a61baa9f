#include "analyse/catalogue.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace gpucoop {
namespace {

/// A name that the listing's own database does not know reads `Vendor words Device 57ad`: the id is in it.
struct Unnamed {
  std::uint16_t vendor = 0;
  std::uint16_t device = 0;
};

std::optional<std::uint16_t> vendor_in(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::uint16_t>, 5> kVendors = {
      {{"[AMD/ATI]", 0x1002}, {"[AMD]", 0x1022}, {"NVIDIA", 0x10de}, {"Intel", 0x8086}, {"VMware", 0x15ad}}};
  for (const auto& [words, id] : kVendors) {
    if (name.find(words) != std::string_view::npos) return id;
  }
  return std::nullopt;
}

std::optional<Unnamed> unnamed(std::string_view name) {
  constexpr std::string_view kWord = " Device ";
  const auto at = name.rfind(kWord);
  if (at == std::string_view::npos || name.size() != at + kWord.size() + 4) return std::nullopt;
  const auto vendor = vendor_in(name.substr(0, at));
  unsigned device = 0;
  const auto* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(end - 4, end, device, 16);
  if (!vendor || error != std::errc{} || stop != end) return std::nullopt;
  return Unnamed{*vendor, static_cast<std::uint16_t>(device)};
}

bool holds(const DeviceRule& rule, std::uint16_t vendor, std::uint16_t device) {
  return vendor == rule.vendor && device >= rule.first_device && device <= rule.last_device;
}

bool matches(const DeviceRule& rule, const PciDevice& device) {
  if (device.vendor_id.is_known() && device.device_id.is_known()) {
    return holds(rule, device.vendor_id.value(), device.device_id.value());
  }
  const auto* name = device.name.get();
  if (name == nullptr) return false;
  if (const auto ids = unnamed(*name)) return holds(rule, ids->vendor, ids->device);
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
