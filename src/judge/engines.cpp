#include "judge/engines.hpp"

#include <algorithm>

#include "judge/words.hpp"

namespace gpucoop {

namespace {

bool holds_for(const AdviceRule& advice, const Focus& focus, const Evaluator& evaluator) {
  const auto known = [&](const Condition& c) { return evaluator.established(c, focus) == Tri::yes; };
  return std::all_of(advice.when.begin(), advice.when.end(), known) &&
         (advice.any_of.empty() || std::any_of(advice.any_of.begin(), advice.any_of.end(), known)) &&
         std::none_of(advice.unless.begin(), advice.unless.end(), known);
}

/// For the set as a whole, for some GPU of it, or for some pair.
bool holds_anywhere(const AdviceRule& advice, const Evaluator& evaluator) {
  if (!evaluator.concerns(advice.vendors)) return false;
  if (holds_for(advice, Focus{}, evaluator)) return true;
  const auto& set = evaluator.set();
  for (const auto& a : set) {
    if (holds_for(advice, focus_on(a), evaluator)) return true;
  }
  for (const auto& a : set) {
    for (const auto& b : set) {
      if (a != b && holds_for(advice, focus_on(a, b), evaluator)) return true;
    }
  }
  return false;
}

}  // namespace

bool EngineJudge::holds(const AdviceRule& advice) {
  const auto [known, fresh] = holds_.try_emplace(&advice, false);
  if (fresh) known->second = holds_anywhere(advice, evaluator_);
  return known->second;
}

EngineVerdict EngineJudge::judge(const EngineModeRule& row) {
  EngineVerdict verdict{answer(question(row, evaluator_.rules()), evaluator_, left_out_, book_, missing_),
                        row.id,
                        row.engine,
                        row.mode,
                        row.title,
                        {},
                        {}};
  const Fill values = {{"count", std::to_string(evaluator_.set().size())}};
  for (const auto& flag : row.flags) verdict.flags.push_back(fill(flag, values));
  for (const auto& id : row.advice) {
    const auto& advice = evaluator_.rules().advice(id);
    if (!holds(advice)) continue;
    verdict.advice.push_back({advice.kind, fill(advice.text, values), fill(advice.why, values), advice.otherwise});
  }
  return verdict;
}

}  // namespace gpucoop
