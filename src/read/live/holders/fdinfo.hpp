#pragma once

#include <string_view>

#include "read/live/holders/observations.hpp"

namespace gpucoop {

/// Reads the `drm-…` keys of /proc/PID/fdinfo/FD (Documentation/gpu/drm-usage-stats.rst). Of each memory region the
/// resident size counts, else `drm-memory-`, else the total; the GPU's own are those whose name begins with `vram`,
/// `local` or `lmem`. Lines of another form are skipped.
[[nodiscard]] DrmClient parse_fdinfo(std::string_view text);

}  // namespace gpucoop
