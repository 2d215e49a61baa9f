#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/probe.hpp"
#include "model/recording.hpp"
#include "probe/plan.hpp"
#include "probe/team.hpp"
#include "rules/rules.hpp"

namespace gpucoop::probe {

/// What the kind of hang means, where a step timed out, and which processes could not be ended. Empty where all is
/// well.
[[nodiscard]] std::vector<std::string> hang_findings(const StepEnd& end);

/// Lines that the catalogue of causes knows, of what ranks wrote and of the kernel log since the probe began: what they
/// mean, quoted with where they stand, and what to do. Each cause once. `reason`: why the run failed, in the words of
/// its runtime or library; empty where it did not.
[[nodiscard]] std::vector<std::string> log_findings(const Planned& planned, const StepEnd& end,
                                                    const std::vector<LogLine>& kernel, const Rules& rules,
                                                    std::string_view reason = {});

/// The last lines that a rank wrote, for a failure that no known line explains; "" where it wrote nothing.
[[nodiscard]] std::string last_words(const Planned& planned, const StepEnd& end);

}  // namespace gpucoop::probe
