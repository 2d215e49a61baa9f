#pragma once

#include <map>
#include <vector>

#include "model/topology.hpp"

namespace gpucoop {

/// Which GPU of the later reading is which of the earlier. Only GPUs that can compute.
struct GpuMatch {
  struct Couple {
    const Gpu* before = nullptr;  ///< null: added
    const Gpu* after = nullptr;   ///< null: removed
  };
  std::vector<Couple> couples;          ///< in the order of the later reading, what was removed at the end
  std::map<Address, Address> to_after;  ///< by the earlier address
};

[[nodiscard]] GpuMatch match_gpus(const Topology& before, const Topology& after);

}  // namespace gpucoop
