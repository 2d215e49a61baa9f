#include "judge/rule_index.hpp"

#include <algorithm>

namespace gpucoop {

RuleIndex::RuleIndex(const Rules& rules) : rules_(rules) {
  for (const auto& fact : rules.facts) facts_.emplace(fact.id, &fact);
  for (const auto& gate : rules.gates) gates_.emplace(gate.id, &gate);
  for (const auto& mode : rules.modes) modes_.emplace(mode.id, &mode);
  for (const auto& advice : rules.advice) advice_.emplace(advice.id, &advice);
  for (const auto& remedy : rules.remedies) remedies_.emplace(remedy.id, &remedy);
  for (const auto& gate : rules.gates) deep_level(gate.require);
  for (const auto& mode : rules.modes) {
    deep_level(mode.require);
    deep_level(mode.prefer);
  }
  for (const auto& row : rules.engine_modes) {
    deep_level(row.require);
    deep_level(row.prefer);
  }
}

Level RuleIndex::deep_level(const Condition& condition) {
  if (!condition.gate.empty()) return deep_level(gate(condition.gate).require);
  switch (fact(condition.fact).subject) {
    case SubjectKind::gpu:
    case SubjectKind::library: return Level::gpu;
    case SubjectKind::pair: return Level::pair;
    case SubjectKind::host:
    case SubjectKind::port:
    case SubjectKind::link:
    case SubjectKind::set: break;
  }
  return Level::set;
}

Level RuleIndex::deep_level(const std::vector<Clause>& clauses) {
  Level finest = Level::set;
  for (const auto& clause : clauses) {
    auto found = levels_.find(&clause);
    if (found == levels_.end()) {
      Levels levels;
      for (const auto& c : clause.unless) levels.own = std::max(levels.own, deep_level(c));
      levels.deep = levels.own;
      for (const auto& c : clause.any_of) levels.deep = std::max(levels.deep, deep_level(c));
      const bool lone_gate = clause.any_of.size() == 1 && !clause.any_of.front().gate.empty();
      if (!lone_gate) levels.own = levels.deep;
      found = levels_.emplace(&clause, levels).first;
    }
    finest = std::max(finest, found->second.deep);
  }
  return finest;
}

}  // namespace gpucoop
