#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/requirement.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Reads the words of `--require`, `MODE` or `MODE=N`, and of `--engine` (empty: none). Without a word, and for one
/// that names no mode or engine of the rules, a `usage` error that says how and names the nearest ids.
[[nodiscard]] Result<std::vector<Requirement>> parse_requirements(const std::vector<std::string>& words,
                                                                  const std::string& engine, const Rules& rules);

}  // namespace gpucoop
