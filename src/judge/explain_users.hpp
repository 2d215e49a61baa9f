#pragma once

#include <string_view>
#include <vector>

#include "model/explanation.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// The entries of the rules that name this one: modes, engines' ways, advice, gates, facts and log causes.
[[nodiscard]] std::vector<RuleName> users_of(std::string_view id, const Rules& rules);

}  // namespace gpucoop
