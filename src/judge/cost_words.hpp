#pragma once

#include <string>

#include "base/known.hpp"
#include "judge/cost_memory.hpp"
#include "judge/cost_shape.hpp"
#include "model/cost.hpp"

namespace gpucoop {

/// Whether a decode step is expected to be shorter than on one GPU, and why.
struct Opinion {
  Tri beats = Tri::unknown;
  std::string why;  ///< a sentence part without a full stop
};

/// From the numbers of an estimate that is complete but for its opinion. `observed` is what the stack that its latency
/// is typical of came to in whole steps, or empty.
[[nodiscard]] Opinion against_one_gpu(const CostEstimate& estimate, const Workload& work, const SetMemory& memory,
                                      const std::string& observed);

}  // namespace gpucoop
