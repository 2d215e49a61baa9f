#pragma once

#include <vector>

#include "model/recording.hpp"

namespace gpucoop {

/// Joins two readings of one device: `kept` wins, what it lacks is taken from `other`, and values that both state
/// and that differ are added to `disagreements` (which may be null).
void overlay(PciDevice& kept, PciDevice other, std::vector<Disagreement>* disagreements);

}  // namespace gpucoop
