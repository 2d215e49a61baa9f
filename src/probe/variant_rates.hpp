#pragma once

#include "probe/attempts.hpp"

namespace gpucoop::probe {

/// Times the all-reduce of all GPUs once more under each of the library's variants but the control, each with fresh
/// ranks: what the other ways between the GPUs would give. Only where it has passed without any, and where the whole
/// ladder was asked for; not of simulated devices, which have one way only.
void time_variants(const RunSetup& setup, const Rules& rules, Attempts& attempts);

}  // namespace gpucoop::probe
