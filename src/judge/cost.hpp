#pragma once

#include <vector>

#include "judge/cost_shape.hpp"
#include "model/cost.hpp"
#include "model/fact.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What sharing the model costs over the GPUs of `set`: one estimate for each mode that the model can use, none where
/// the set has fewer than two GPUs. Pure; the formulas hold for 16-bit activations and no overlap of communication and
/// computation. Whether a mode can be used at all is not looked at here.
[[nodiscard]] std::vector<CostEstimate> estimate_costs(const std::vector<Fact>& facts, const Rules& rules,
                                                       const std::vector<Address>& set, const Workload& work);

}  // namespace gpucoop
