#include "read/lspci/completeness.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace gpucoop {
namespace {

constexpr std::uint16_t kBridgeBaseClass = 0x06;

using Bus = std::pair<std::uint32_t, std::uint8_t>;

Bus bus_of(const Address& a) { return {a.domain, a.bus}; }

bool is_bridge_class(const PciDevice& d) {
  const auto* code = d.class_code.get();
  return code != nullptr && *code >> 8 == kBridgeBaseClass;
}

bool begins_at_root(const PciDevice& first) {
  return first.address.device == 0 && first.address.function == 0 && is_bridge_class(first);
}

bool ascends(const std::vector<PciDevice>& devices) {
  return std::is_sorted(devices.begin(), devices.end(),
                        [](const PciDevice& a, const PciDevice& b) { return a.address < b.address; });
}

/// Precondition: ascending.
bool has_every_function_zero(const std::vector<PciDevice>& devices) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& a = devices[i].address;
    if (a.function == 0) continue;
    const bool same = i > 0 && bus_of(devices[i - 1].address) == bus_of(a) && devices[i - 1].address.device == a.device;
    if (!same) return false;
  }
  return true;
}

struct Behind {
  std::vector<Bus> secondaries;                      ///< sorted
  std::vector<std::pair<Bus, std::uint8_t>> ranges;  ///< first bus, last bus; sorted
};

Behind buses_behind(const std::vector<PciDevice>& devices) {
  Behind behind;
  for (const auto& d : devices) {
    const auto* b = d.buses.get();
    if (b == nullptr || b->secondary == 0 || b->subordinate < b->secondary) continue;
    behind.secondaries.emplace_back(d.address.domain, b->secondary);
    behind.ranges.emplace_back(Bus{d.address.domain, b->secondary}, b->subordinate);
  }
  std::sort(behind.secondaries.begin(), behind.secondaries.end());
  std::sort(behind.ranges.begin(), behind.ranges.end());
  return behind;
}

/// A device on a bus inside some bridge's range, but behind none of the bridges in the list.
bool lacks_a_bridge(const std::vector<PciDevice>& devices, const Behind& behind) {
  for (const auto& d : devices) {
    const auto bus = bus_of(d.address);
    if (std::binary_search(behind.secondaries.begin(), behind.secondaries.end(), bus)) continue;
    // 256 buses a domain: at most that many ranges begin before this bus.
    auto it = std::upper_bound(behind.ranges.begin(), behind.ranges.end(), std::pair{bus, std::uint8_t{0xff}});
    for (int steps = 0; it != behind.ranges.begin() && steps < 256; ++steps) {
      --it;
      if (it->first.first == bus.first && it->second >= bus.second) return true;
    }
  }
  return false;
}

/// A bridge whose link is up has something below it.
bool lacks_what_is_below(const std::vector<PciDevice>& devices) {
  std::vector<Bus> present;
  present.reserve(devices.size());
  for (const auto& d : devices) present.push_back(bus_of(d.address));
  std::sort(present.begin(), present.end());
  return std::any_of(devices.begin(), devices.end(), [&](const PciDevice& d) {
    const auto* b = d.buses.get();
    const auto* e = d.express.get();
    if (b == nullptr || e == nullptr || !e->dll_active.is(true)) return false;
    if (!e->type.is(PortType::root_port) && !e->type.is(PortType::switch_downstream)) return false;
    return !std::binary_search(present.begin(), present.end(), Bus{d.address.domain, b->secondary});
  });
}

}  // namespace

Known<bool> listing_complete(const std::vector<PciDevice>& devices, bool filtered, bool cut) {
  if (devices.empty()) return {};
  if (devices.size() == 1) return false;
  const auto behind = buses_behind(devices);
  if (lacks_a_bridge(devices, behind)) return false;
  const bool any_bridge = std::any_of(devices.begin(), devices.end(), is_bridge_class);
  const bool below_something =
      std::any_of(devices.begin(), devices.end(), [](const PciDevice& d) { return d.address.bus != 0; });
  if (!any_bridge && below_something) return filtered ? Known<bool>(false) : Known<bool>();
  if (filtered || cut) return {};
  if (!begins_at_root(devices.front()) || !ascends(devices) || !has_every_function_zero(devices)) return {};
  if (lacks_what_is_below(devices)) return {};
  return true;
}

}  // namespace gpucoop
