#pragma once

#include <vector>

#include "model/requirement.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

struct RequirementOptions {
  bool accept_expected = false;  ///< what is expected of an unknown counts as its outcome
  bool gpus_chosen = false;      ///< somebody named the GPUs: there are no others
};

/// How a judged report answers to what is demanded. Each requirement is held against every judged set, and the best
/// answer counts. `exit_code` is that of the requirements alone. Pure.
[[nodiscard]] Verdict judge_requirements(const Report& report, const Rules& rules,
                                         const std::vector<Requirement>& requirements,
                                         const RequirementOptions& options);

}  // namespace gpucoop
