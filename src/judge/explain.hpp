#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/explanation.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Every id that `explain` knows, by kind: modes, engines and their ways, gates, facts, remedies, log causes, models,
/// stacks; each group in the order of the rules.
[[nodiscard]] std::vector<RuleName> rule_names(const Rules& rules);

/// What the entry means, what it needs and what uses it; with a report also how it stands on that host.
/// nullopt where there is no such id. Pure.
[[nodiscard]] std::optional<Explanation> explain(std::string_view id, const Rules& rules, const Report* report);

}  // namespace gpucoop
