#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/pci.hpp"

namespace gpucoop {

/// Fills as much of the room as there is from an offset on; gives how much. 0: the end.
using ReadAt = std::function<std::size_t(std::size_t offset, std::span<std::uint8_t> room)>;

/// Names devices by a list of the form of pci.ids (vendors at the start of a line, their devices below them behind a
/// tab), as lspci does: vendor and device; the first entry counts. Others keep no name. The list is long: a vendor is
/// looked for by halving, since the list is in the order of ids, and where it is not, from the start.
void take_names(const ReadAt& list, std::size_t bytes, std::vector<PciDevice>& devices);

}  // namespace gpucoop
