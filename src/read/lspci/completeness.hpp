#pragma once

#include <vector>

#include "model/pci.hpp"
#include "read/lspci/device_text.hpp"

namespace gpucoop {

/// Whether a listing names every PCI device of its host, as far as the listing itself shows it. `devices` are in
/// the order printed, `evidence` what lines each of them had; neither is empty without the other.
/// Known true: it begins at function 0 of a root bus's first device, ascends as lspci prints it, has function 0 of each
/// device, no device's bridge is missing, and nothing is missing below a bridge whose link is up (where the text does
/// not say: whose memory window is open). Known false: one device only, or a bridge that must exist is missing.
/// Unknown otherwise, and wherever `filtered` (a command that shows a part) or a cut last device says that more may
/// follow.
[[nodiscard]] Known<bool> listing_complete(const std::vector<PciDevice>& devices,
                                           const std::vector<DeviceEvidence>& evidence, bool filtered);

}  // namespace gpucoop
