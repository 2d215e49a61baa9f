#pragma once

#include "model/pci.hpp"
#include "read/config/config_space.hpp"

namespace gpucoop {

/// Decodes a configuration space, from wherever it was read, into the members of `device` that it determines:
/// ids, class, revision, header type, bus numbers, `lost`, `access_denied`, `express`, `acs`, `aer`, `sriov`,
/// `ari_next_function`, `bars`, `resizable_bars` and `power_state`. All of these are overwritten; nothing else is.
///
/// What the hardware says it does not have is absent; what the reading does not hold is unknown with
/// `ConfigSpace::why_missing`, and so is a value that no device can have (`damaged`). All ones is `lost`.
/// Sizes of BARs are not in configuration space and stay unknown, apart from those of Resizable BARs.
/// Sources: include/uapi/linux/pci_regs.h; PCI Express Base Specification 6.0 section 7.
void decode_config(const ConfigSpace& space, PciDevice& device);

}  // namespace gpucoop
