#pragma once

#include <cstdint>

#include "model/pci.hpp"
#include "read/config/config_space.hpp"

namespace gpucoop {

/// Decodes the PCI Express capability at `at`. Which registers exist follows from the version and the port type, as
/// in the kernel (drivers/pci/access.c pcie_capability_reg_implemented): registers of version 2 are absent below
/// it, link registers on integrated endpoints and event collectors, slot registers without a slot.
[[nodiscard]] PciExpress decode_express(const ConfigSpace& space, std::uint16_t at);

}  // namespace gpucoop
