#include "read/live/device_path.hpp"

#include "read/text.hpp"

namespace gpucoop {
namespace {

/// The root bus that `pci0000:c0` names, in the form of its first possible device.
std::optional<Address> host_bridge(std::string_view part) {
  constexpr std::string_view kPrefix = "pci";
  if (!starts_with(part, kPrefix)) return std::nullopt;
  return parse_address(std::string(part.substr(kPrefix.size())) + ":00.0");
}

}  // namespace

std::optional<DevicePath> parse_device_path(std::string_view path, const Address& device) {
  std::optional<DevicePath> result;
  std::optional<Address> last;
  while (!path.empty()) {
    const auto part = next_part(path, '/');
    if (const auto bus = host_bridge(part)) {
      result = DevicePath{std::nullopt, bus->bus};
      last.reset();
    } else if (const auto address = parse_address(part); address && result) {
      result->parent = last;
      last = address;
    }
  }
  if (last != device) return std::nullopt;
  return result;
}

}  // namespace gpucoop
