#include "judge/explain_users.hpp"

#include <algorithm>

namespace gpucoop {

namespace {

bool names(const std::vector<Condition>& conditions, std::string_view id) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [id](const Condition& c) { return c.fact == id || c.gate == id || c.unless_known == id; });
}

bool names(const std::vector<Clause>& clauses, std::string_view id) {
  return std::any_of(clauses.begin(), clauses.end(), [id](const Clause& c) {
    return names(c.any_of, id) || names(c.unless, id) ||
           std::find(c.remedies.begin(), c.remedies.end(), id) != c.remedies.end();
  });
}

bool names(const FactRule& fact, std::string_view id) {
  const auto expected = std::any_of(fact.expected.begin(), fact.expected.end(), [id](const Expectation& e) {
    return e.gate == id || (e.when && names(std::vector<Condition>{*e.when}, id));
  });
  return expected || fact.floor_unless == id ||
         std::find(fact.settle.begin(), fact.settle.end(), id) != fact.settle.end();
}

}  // namespace

std::vector<RuleName> users_of(std::string_view id, const Rules& rules) {
  std::vector<RuleName> users;
  for (const auto& m : rules.modes) {
    if (names(m.require, id) || names(m.prefer, id)) users.push_back({"mode", m.id, m.title});
  }
  for (const auto& r : rules.engine_modes) {
    const bool above =
        r.engine == id || r.mode == id || std::find(r.builds_on.begin(), r.builds_on.end(), id) != r.builds_on.end();
    const bool advises = std::find(r.advice.begin(), r.advice.end(), id) != r.advice.end();
    if (above || advises || names(r.require, id) || names(r.prefer, id)) {
      users.push_back({"engine-mode", r.id, r.title});
    }
  }
  for (const auto& a : rules.advice) {
    if (names(a.when, id) || names(a.any_of, id) || names(a.unless, id)) users.push_back({"advice", a.id, a.text});
  }
  for (const auto& g : rules.gates) {
    if (names(g.require, id)) users.push_back({"gate", g.id, g.title});
  }
  for (const auto& f : rules.facts) {
    if (names(f, id)) users.push_back({"fact", f.id, f.title});
  }
  for (const auto& c : rules.log_causes) {
    if (c.sets_fact == id) users.push_back({"log-cause", c.id, c.title});
  }
  return users;
}

}  // namespace gpucoop
