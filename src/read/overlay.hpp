#pragma once

#include <cstdint>
#include <vector>

#include "model/recording.hpp"

namespace gpucoop {

/// How much the second of two readings is worth.
enum class Worth : std::uint8_t { less, equal };

/// Joins two readings of one device: `kept` wins, what it lacks is taken from `other`, and values that both state
/// and that differ are added to `disagreements` (which may be null). Of two readings of equal worth neither can win
/// where a gate hangs on the value (port type, AtomicOps and ACS bits): it is then unknown, for `disagreement`.
void overlay(PciDevice& kept, PciDevice other, std::vector<Disagreement>* disagreements, Worth worth = Worth::less);

}  // namespace gpucoop
