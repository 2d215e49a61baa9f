#pragma once

#include "model/topology.hpp"
#include "render/json_value.hpp"

namespace gpucoop::json {

/// One entry of `gpus`: identity, chain hop by hop, the judgements of atomics and link.
[[nodiscard]] Value gpu(const Gpu& gpu);

}  // namespace gpucoop::json
