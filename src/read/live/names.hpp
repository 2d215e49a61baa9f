#pragma once

#include <string_view>
#include <vector>

#include "model/pci.hpp"

namespace gpucoop {

/// Names the devices whose ids are in a list of the form of pci.ids (vendors at the start of a line, their devices
/// below them behind a tab), as lspci does: vendor and device. Others keep no name.
void take_names(std::string_view list, std::vector<PciDevice>& devices);

}  // namespace gpucoop
