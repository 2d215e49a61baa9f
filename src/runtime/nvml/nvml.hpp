#pragma once

#include <string>

#include "wire/nvml.hpp"

namespace gpucoop::runtime::nvml {

/// Asks NVIDIA's management library for everything, once. It sees GPUs that CUDA_VISIBLE_DEVICES hides. May hang as any
/// vendor's library: for a process of its own. `library`: a path; empty: as the loader finds it.
[[nodiscard]] wire::NvmlState look(const std::string& library = {});

}  // namespace gpucoop::runtime::nvml
