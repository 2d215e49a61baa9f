#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "judge/fact_index.hpp"

namespace gpucoop {

/// A GPU that takes part in no set, and why: `01:00.0` `bound to vfio-pci`.
struct LeftOut {
  Address gpu;
  std::string why;
  bool worth_saying = true;  ///< false for displays that nobody takes for a compute device
};

/// GPUs of one vendor that are judged together.
struct Candidates {
  std::vector<Address> gpus;
  std::string vendor;  ///< `amd`, …; `other` where there is none
  bool integrated = false;
};

struct Selection {
  std::vector<Candidates> sets;  ///< the largest; several where they tie
  std::vector<LeftOut> left_out;
  std::size_t not_judged = 0;  ///< GPUs beyond the bounds of a set (64) and of `left_out` (256)
  bool any_gpu = false;        ///< the facts are about at least one GPU, usable or not
};

/// Discrete compute-capable GPUs that answer and whose driver is not known to be one that cannot compute, by vendor:
/// the largest group, or all groups of that size. Integrated ones only where there is no such discrete one.
[[nodiscard]] Selection select_sets(const FactIndex& facts);

}  // namespace gpucoop
