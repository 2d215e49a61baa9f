#pragma once

#include <string>

#include "options.hpp"
#include "probe/run.hpp"
#include "probe_target.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What `--dry-run` prints: the plan in text, or in JSON a report whose runs all say that they were not run.
[[nodiscard]] Result<std::string> render_dry_run(const ProbeTarget& target, const probe::RunSetup& setup,
                                                 const OutputOptions& options, const Rules& rules);

}  // namespace gpucoop
