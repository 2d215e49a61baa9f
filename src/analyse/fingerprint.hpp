#pragma once

#include <string>

#include "model/recording.hpp"

namespace gpucoop {

/// 16 hex digits (FNV-1a, 64 bit) over address, vendor, device and subsystem of the bridges and GPUs in address order:
/// equal for two readings of one unchanged host. Empty where there is none of them.
[[nodiscard]] std::string fingerprint_of(const Recording& recording);

}  // namespace gpucoop
