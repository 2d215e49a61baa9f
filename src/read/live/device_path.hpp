#pragma once

#include <optional>
#include <string_view>

#include "base/address.hpp"

namespace gpucoop {

/// Where a device hangs, as its path in sysfs states it.
struct DevicePath {
  std::optional<Address> parent;  ///< the bridge above; none: on a root bus
  std::uint8_t root_bus = 0;
};

/// Reads `../../../devices/pci0000:00/0000:00:01.1/0000:01:00.0`. A host bridge below a device (Intel VMD:
/// `…/0000:00:0e.0/pci10000:e0/10000:e1:00.0`) begins a hierarchy of its own, as for the kernel. Nullopt where the path
/// holds no host bridge or does not end with `device`.
[[nodiscard]] std::optional<DevicePath> parse_device_path(std::string_view path, const Address& device);

}  // namespace gpucoop
