#pragma once

#include <string>

#include "analyse/gpu_view.hpp"

namespace gpucoop {

/// What lies between two GPUs. `shared`: how many steps both chains have in common, from the root.
struct CommonPath {
  PairPath path = PairPath::unknown;
  std::size_t shared = 0;
  std::string why;
};

/// From common ancestors; without one from the root bus, the NUMA node and the package. Different NUMA nodes whose
/// packages are unknown count as different sockets. Chains whose root is not known give unknown, unless the NUMA nodes
/// differ.
[[nodiscard]] CommonPath common_path(const GpuView& a, const GpuView& b);

}  // namespace gpucoop
