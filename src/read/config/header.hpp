#pragma once

#include "model/pci.hpp"
#include "read/config/capabilities.hpp"
#include "read/config/config_space.hpp"

namespace gpucoop {

/// True where the header reads all ones: the function has fallen off the bus, is in D3cold, or is not there.
/// A virtual function's vendor id alone reads all ones by specification and does not count.
[[nodiscard]] bool reads_all_ones(const ConfigSpace& space);

/// Ids, class, revision, header type, bus numbers and BARs.
void decode_header(const ConfigSpace& space, const Capabilities& capabilities, PciDevice& device);

}  // namespace gpucoop
