#pragma once

#include "model/recording.hpp"
#include "model/topology.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Everything that follows from a recording alone: chains, links, atomics, pair paths, isolation, facts.
/// Pure and total: no input makes it fail, hang or take more than linear (times depth) time.
[[nodiscard]] Topology analyse(const Recording& recording, const Rules& rules);

}  // namespace gpucoop
