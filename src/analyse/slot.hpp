#pragma once

#include <string>

#include "analyse/chain.hpp"

namespace gpucoop {

/// The slot that a device itself names: the board's designation, the name of the slot, or the number that the port's
/// Slot Capabilities state (not 0, which means none). Unknown where none does.
[[nodiscard]] Known<std::string> slot_of(const PciDevice& device);
/// The slot of the card at the end of a chain: from the GPU up to and including the port that the card is plugged
/// into. Bridges above that port belong to other slots.
[[nodiscard]] Known<std::string> slot_of(const Chain& chain);

}  // namespace gpucoop
