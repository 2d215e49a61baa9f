#pragma once

#include <vector>

#include "analyse/gpu_view.hpp"
#include "model/warning.hpp"

namespace gpucoop {

/// What keeps NVIDIA's GPUs from working, or from working together, as far as files show it, each with what to do:
/// a driver without a GPU, GPUs that are hidden from a container, MIG, libraries of another version than the module, a
/// fabric manager that does not run, a missing IMEX channel.
[[nodiscard]] std::vector<Warning> nvidia_findings(const Recording& recording, const std::vector<GpuView>& views);

}  // namespace gpucoop
