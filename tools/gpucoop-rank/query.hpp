#pragma once

#include <string_view>

#include "base/error.hpp"

namespace gpucoop {

/// `gpucoop-rank --query WHAT [LIBRARY]`: asks a vendor's library once, for a program that must not load it, and writes
/// one frame (wire/frame.hpp) to standard output. WHAT: `nvml` (wire/nvml.hpp).
[[nodiscard]] ExitCode answer_query(std::string_view what, std::string_view library);

}  // namespace gpucoop
