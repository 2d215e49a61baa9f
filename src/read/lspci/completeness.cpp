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

bool leads_to_a_bus(const PciDevice& d) {
  constexpr std::uint16_t kPciBridge = 0x0604;
  constexpr std::uint16_t kSemiTransparentBridge = 0x0609;
  return d.buses.is_known() || d.class_code.is(kPciBridge) || d.class_code.is(kSemiTransparentBridge);
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

/// Something is below this bridge: its link is up, or, where that is not in the text, its memory window is open.
bool leads_somewhere(const PciDevice& d, const DeviceEvidence& lines) {
  if (d.express.is_absent()) return false;
  const auto* e = d.express.get();
  if (e == nullptr) return lines.window;
  if (!e->type.is(PortType::root_port) && !e->type.is(PortType::switch_downstream)) return false;
  return e->dll_active.is_known() ? e->dll_active.value() : lines.window;
}

bool lacks_what_is_below(const std::vector<PciDevice>& devices, const std::vector<DeviceEvidence>& evidence) {
  std::vector<Bus> present;
  present.reserve(devices.size());
  for (const auto& d : devices) present.push_back(bus_of(d.address));
  std::sort(present.begin(), present.end());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto* b = devices[i].buses.get();
    if (b == nullptr || !leads_somewhere(devices[i], evidence[i])) continue;
    if (!std::binary_search(present.begin(), present.end(), Bus{devices[i].address.domain, b->secondary})) return true;
  }
  return false;
}

}  // namespace

Known<bool> listing_complete(const std::vector<PciDevice>& devices, const std::vector<DeviceEvidence>& evidence,
                             bool filtered) {
  if (devices.empty()) return {};
  if (devices.size() == 1) return false;
  const auto behind = buses_behind(devices);
  if (lacks_a_bridge(devices, behind)) return false;
  const bool any_bridge = std::any_of(devices.begin(), devices.end(), leads_to_a_bus);
  const bool below_something =
      std::any_of(devices.begin(), devices.end(), [](const PciDevice& d) { return d.address.bus != 0; });
  if (!any_bridge && below_something) return filtered ? Known<bool>(false) : Known<bool>();
  if (filtered || evidence.back().cut) return {};
  if (!begins_at_root(devices.front()) || !ascends(devices) || !has_every_function_zero(devices)) return {};
  if (lacks_what_is_below(devices, evidence)) return {};
  return true;
}

}  // namespace gpucoop
