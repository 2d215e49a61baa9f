#pragma once

#include <vector>

#include "model/report.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Sets, modes and remedies from facts and rules alone, in three-valued logic. Pure.
[[nodiscard]] Judgement judge(const std::vector<Fact>& facts, const Rules& rules);

}  // namespace gpucoop
