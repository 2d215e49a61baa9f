#pragma once

#include "model/topology.hpp"

namespace gpucoop::probe {

/// A host of so many simulated devices, of which everything is good that is not probed: what probes find is then all
/// that decides. Its facts are about no GPU.
[[nodiscard]] Topology simulated_topology(unsigned devices);
/// The fingerprint of such a host, which no real one has.
[[nodiscard]] const char* simulated_fingerprint();

}  // namespace gpucoop::probe
