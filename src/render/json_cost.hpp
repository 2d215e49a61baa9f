#pragma once

#include "model/cost.hpp"
#include "render/json_value.hpp"

namespace gpucoop::json {

/// One entry of `costs`.
[[nodiscard]] Value cost(const CostEstimate& estimate);

}  // namespace gpucoop::json
