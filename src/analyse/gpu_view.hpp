#pragma once

#include <vector>

#include "analyse/chain.hpp"
#include "analyse/link_path.hpp"
#include "model/topology.hpp"

namespace gpucoop {

/// One GPU while it is being judged.
struct GpuView {
  std::size_t index = 0;  ///< in Recording::devices
  Chain chain;
  std::vector<PathLink> links;
  Gpu gpu;
  Known<Address> physical_function;  ///< of a virtual function: stated, or announced by the physical one
};

/// The recording and what is true of the whole host, shared by the judgements about pairs and facts.
struct HostView {
  const Recording& recording;
  const DeviceTree& tree;
  const Catalogue& catalogue;
  Tri virtualized = Tri::unknown;
};

}  // namespace gpucoop
