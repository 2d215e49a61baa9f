#pragma once

#include <string>
#include <vector>

#include "model/explanation.hpp"
#include "render/render.hpp"

namespace gpucoop {

/// What an entry of the rules means, for people: its meaning, what it needs, how it stands on the host where one is
/// given, what would change it.
[[nodiscard]] std::string render_explanation_text(const Explanation& explanation, const TextOptions& options);
/// The same for programs: `gpucoop.explanation/1`.
[[nodiscard]] std::string render_explanation_json(const Explanation& explanation);

/// Every id that can be explained, grouped.
[[nodiscard]] std::string render_rule_names_text(const std::vector<RuleName>& names, const TextOptions& options);
/// `gpucoop.rules/1`.
[[nodiscard]] std::string render_rule_names_json(const std::vector<RuleName>& names);

}  // namespace gpucoop
