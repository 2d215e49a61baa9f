#pragma once

#include <vector>

#include "judge/verdict.hpp"

namespace gpucoop {

/// The judgement of one row of the engines' table over the evaluator's set: its own clauses with those of the modes
/// that it builds on, the flags that turn it on, and the advice that holds here.
[[nodiscard]] EngineVerdict judge_engine_mode(const EngineModeRule& row, const Evaluator& evaluator,
                                              const std::vector<LeftOut>& left_out, RemedyBook& book,
                                              MissingFacts& missing);

}  // namespace gpucoop
