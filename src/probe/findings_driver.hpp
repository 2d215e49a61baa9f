#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/address.hpp"
#include "model/warning.hpp"
#include "rules/rules.hpp"
#include "wire/nvml.hpp"

namespace gpucoop::probe {

/// What NVIDIA's management library says of these GPUs that keeps them from working together, or from working well,
/// each with what to do: a split by MIG, a fabric that is not set up, a compute mode that lets nobody in, memory
/// errors, clocks that are held down, and why the driver refuses direct traffic between two of them (nvml.h,
/// nvmlGpuP2PStatus_t: the only source that says why). Empty where all is well or nothing is known.
[[nodiscard]] std::vector<Warning> driver_findings(const wire::NvmlState& state, const std::vector<Address>& gpus);

/// What words of a driver or library mean and what to do, where the catalogue of causes knows them:
/// `The NVIDIA libraries and the kernel module are of different versions: reboot, …`. "" where it does not.
[[nodiscard]] std::string meaning_of(std::string_view words, const Rules& rules);

}  // namespace gpucoop::probe
