#pragma once

#include "model/requirement.hpp"
#include "render/json_value.hpp"

namespace gpucoop::json {

/// The word for what is expected of an unknown; null where nothing is, and for what is no unknown.
[[nodiscard]] Value expected(ModeState state, const Known<ModeState>& expected);
/// A flag or variable to set or avoid.
[[nodiscard]] Value advice(const Advice& a);
/// One entry of `engines`: an engine's way of putting a mode to work.
[[nodiscard]] Value engine(const EngineVerdict& way);
/// `best_subset` of a mode; null where none is better than the whole.
[[nodiscard]] Value best_subset(const std::optional<BestSubset>& best);
/// One entry of `requirements`.
[[nodiscard]] Value requirement(const RequirementVerdict& verdict);

}  // namespace gpucoop::json
