#include "read/live/names.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kDigits = 4;

using DevicesById = std::multimap<std::uint16_t, PciDevice*>;

/// The name behind `1002  `.
std::string_view name_of(std::string_view line) { return trim(line.substr(std::min(line.size(), kDigits))); }

}  // namespace

void take_names(std::string_view list, std::vector<PciDevice>& devices) {
  std::map<std::uint16_t, DevicesById> vendors;
  for (auto& device : devices) {
    if (device.vendor_id.is_known() && device.device_id.is_known()) {
      vendors[device.vendor_id.value()].emplace(device.device_id.value(), &device);
    }
  }
  const DevicesById* wanted = nullptr;
  std::string_view vendor;
  while (!list.empty()) {
    const auto line = next_part(list, '\n');
    const bool below = starts_with(line, "\t");
    if (below && (wanted == nullptr || starts_with(line, "\t\t"))) continue;
    const auto id = parse_hex(line, below ? 1 : 0, kDigits);
    if (!below) {
      const auto found = id ? vendors.find(static_cast<std::uint16_t>(*id)) : vendors.end();
      wanted = found == vendors.end() ? nullptr : &found->second;
      vendor = name_of(line);
    } else if (id) {
      const auto [begin, end] = wanted->equal_range(static_cast<std::uint16_t>(*id));
      for (auto at = begin; at != end; ++at) {
        at->second->name = std::string(vendor) + " " + std::string(name_of(line.substr(1)));
      }
    }
  }
}

}  // namespace gpucoop
