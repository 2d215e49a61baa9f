#pragma once

#include <string>

#include "model/pci.hpp"

namespace gpucoop {

/// Whether the bound driver is one that runs compute: known for the makers' drivers (yes) and for those that hand the
/// device to a guest or only drive a display (no). Without a bound driver unknown: the right one may still be loaded.
struct DriverUse {
  Known<bool> usable;
  std::string evidence;
};
[[nodiscard]] DriverUse driver_use(const PciDevice& device);

}  // namespace gpucoop
