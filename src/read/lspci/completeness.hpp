#pragma once

#include <vector>

#include "model/pci.hpp"

namespace gpucoop {

/// Whether a listing names every PCI device of its host, as far as the listing itself shows it. `devices` are in
/// the order printed.
/// Known true: it begins at function 0 of a root bus's first device, ascends as lspci prints it, has function 0 of each
/// device, and no device's bridge is missing. Known false: one device only, or a bridge that must exist is missing.
/// Unknown otherwise, and wherever `filtered` (a command that shows a part) or `cut` says that more may follow.
[[nodiscard]] Known<bool> listing_complete(const std::vector<PciDevice>& devices, bool filtered, bool cut);

}  // namespace gpucoop
