#include "analyse/device_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpucoop {
namespace {

constexpr std::uint16_t kHostBridge = 0x0600;
constexpr std::uint16_t kPciBridge = 0x0604;
constexpr std::uint16_t kSemiTransparentBridge = 0x0609;

bool usable(const PciDevice& bridge, const BusNumbers& buses) {
  return buses.secondary != 0 && buses.subordinate >= buses.secondary && bridge.address.bus != buses.secondary;
}

std::uint64_t key(std::uint32_t domain, std::uint8_t bus) { return (std::uint64_t{domain} << 8) | bus; }

}  // namespace

bool is_bridge(const PciDevice& device) {
  return device.header_type.is(1) || device.buses.is_known() || device.class_code.is(kPciBridge) ||
         device.class_code.is(kSemiTransparentBridge);
}

DeviceTree::DeviceTree(const Recording& recording) : recording_(recording) {
  const auto n = recording_.devices.size();
  above_.resize(n);
  below_.resize(n);
  index_bridges();
  index_root_buses();
  for (std::size_t i = 0; i < n; ++i) {
    const auto& device = recording_.devices[i];
    auto& parent = above_[i];
    const auto* stated = device.stated_parent.get();
    const bool skips = device.parent_skips_levels;
    // A source that leaves bridges out gives way to bus numbers, which do not.
    if (skips || device.stated_parent.is_unknown()) parent = by_bus_numbers(i);
    if (stated != nullptr && (!skips || parent.kind != Parent::Kind::bridge || parent.gap)) {
      parent.kind = Parent::Kind::bridge;
      parent.address = *stated;
      parent.index = find(*stated);
      parent.gap = skips;
      if (!skips) compare_with_bus_numbers(i, *stated);
    } else if (device.stated_parent.is_absent() && !skips) {
      parent.kind = Parent::Kind::root_bus;
    } else if (skips && parent.kind == Parent::Kind::unknown) {
      parent.kind = Parent::Kind::host;
    }
    if (parent.index) below_[*parent.index].push_back(i);
  }
}

std::optional<std::size_t> DeviceTree::find(const Address& address) const {
  const auto* device = find_device(recording_, address);
  if (device == nullptr) return std::nullopt;
  return static_cast<std::size_t>(device - recording_.devices.data());
}

const PciDevice* DeviceTree::host_bridge(std::uint32_t domain, std::uint8_t bus) const {
  const Address first{domain, bus, 0, 0};
  const auto it = std::lower_bound(recording_.devices.begin(), recording_.devices.end(), first,
                                   [](const PciDevice& d, const Address& a) { return d.address < a; });
  if (it == recording_.devices.end() || it->address.domain != domain || it->address.bus != bus) return nullptr;
  return it->address.function == 0 ? &*it : nullptr;
}

void DeviceTree::index_bridges() {
  for (std::size_t i = 0; i < recording_.devices.size(); ++i) {
    const auto& bridge = recording_.devices[i];
    const auto* buses = bridge.buses.get();
    if (buses == nullptr || !usable(bridge, *buses)) continue;
    by_secondary_[key(bridge.address.domain, buses->secondary)].push_back(i);
    bridges_of_domain_[bridge.address.domain].push_back(i);
  }
}

void DeviceTree::index_root_buses() {
  for (const auto& device : recording_.devices) {
    const auto bus = key(device.address.domain, device.address.bus);
    if (device.stated_parent.is_absent() && !device.parent_skips_levels) {
      root_buses_.insert(bus);
    } else if (device.class_code.is(kHostBridge) && device.stated_parent.is_unknown() &&
               by_secondary_.count(bus) == 0) {
      root_buses_.insert(bus);
    }
    if (device.stated_root_bus.is_known()) {
      root_buses_.insert(key(device.address.domain, device.stated_root_bus.value()));
    }
  }
}

std::optional<std::size_t> DeviceTree::unambiguous(const std::vector<std::size_t>& claims) const {
  if (claims.size() == 1) return claims.front();
  std::optional<std::size_t> only;
  for (const auto i : claims) {
    const auto& bridge = recording_.devices[i];
    if (bridge.buses.value().primary != bridge.address.bus) continue;
    if (only) return std::nullopt;
    only = i;
  }
  return only;
}

std::optional<std::size_t> DeviceTree::tightest(const Address& address) {
  const auto [entry, fresh] = tightest_.try_emplace(key(address.domain, address.bus));
  auto& best = entry->second;
  const auto bridges = bridges_of_domain_.find(address.domain);
  if (!fresh || bridges == bridges_of_domain_.end()) return best;
  auto span = 256;
  for (const auto i : bridges->second) {
    const auto& bridge = recording_.devices[i];
    const auto& buses = bridge.buses.value();
    if (address.bus <= buses.secondary || address.bus > buses.subordinate) continue;
    // A bridge inside its own range is damaged input and leads nowhere.
    if (bridge.address.bus >= buses.secondary && bridge.address.bus <= buses.subordinate) continue;
    if (buses.subordinate - buses.secondary >= span) continue;
    span = buses.subordinate - buses.secondary;
    best = i;
  }
  return best;
}

Parent DeviceTree::by_bus_numbers(std::size_t index) {
  const auto& a = recording_.devices[index].address;
  Parent parent;
  // No bridge leads to bus 0: a bridge whose secondary bus reads 0 is not configured.
  if (a.bus == 0) {
    parent.kind = Parent::Kind::root_bus;
    return parent;
  }
  const auto adopt = [&](std::size_t bridge, bool gap) {
    parent.kind = Parent::Kind::bridge;
    parent.index = bridge;
    parent.address = recording_.devices[bridge].address;
    parent.gap = gap;
  };
  const auto bus = key(a.domain, a.bus);
  if (const auto claims = by_secondary_.find(bus); claims != by_secondary_.end()) {
    if (const auto bridge = unambiguous(claims->second)) {
      adopt(*bridge, false);
    } else if (ambiguous_.insert(bus).second) {
      const auto& first = recording_.devices[claims->second[0]].address;
      warnings_.push_back(
          {"analysis.bus-claimed-twice",
           fmt::format("{} and {} both say that bus {:02x} is below them, so what is on that bus cannot "
                       "be placed. Read the host again in one go (lspci -vvv as root).",
                       short_form(first), short_form(recording_.devices[claims->second[1]].address), a.bus),
           to_string(first)});
    }
  } else if (root_buses_.count(bus) != 0) {
    parent.kind = Parent::Kind::root_bus;
  } else if (const auto bridge = tightest(a)) {
    adopt(*bridge, true);
  }
  return parent;
}

void DeviceTree::compare_with_bus_numbers(std::size_t index, const Address& stated) {
  const auto& a = recording_.devices[index].address;
  const auto claims = by_secondary_.find(key(a.domain, a.bus));
  if (claims == by_secondary_.end() || claims->second.size() != 1) return;
  const auto& bridge = recording_.devices[claims->second.front()];
  if (bridge.address == stated) return;
  warnings_.push_back({"analysis.parent-disagreement",
                       fmt::format("The source names {} as the bridge above {}, but by the bus numbers it is {}. The "
                                   "named one is used. Two listings taken at different times read like this.",
                                   short_form(stated), short_form(a), short_form(bridge.address)),
                       to_string(a)});
}

}  // namespace gpucoop
