#pragma once

#include <vector>

#include "model/pci.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Writes the names of `bus/pci/slots` to the functions at their addresses (`0000:09:00`, without function;
/// drivers/pci/slot.c). Placeholders without a device number name nothing; of several
/// names at one address the first in order stays.
void read_slots(const Folder& sys, std::vector<PciDevice>& devices);

}  // namespace gpucoop
