#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "rules/catalogue.hpp"

namespace gpucoop::rules_file {

namespace {

using Definitions = std::map<std::string, const Definition*, std::less<>>;

/// Ids are unique over all kinds, so that `explain ID` has one answer.
Definitions check_definitions(const Catalogue& catalogue) {
  Definitions ids;
  for (const auto& d : catalogue.definitions) {
    const auto [found, fresh] = ids.emplace(d.id, &d);
    if (!fresh) {
      fail(d.origin, d.kind + " '" + d.id + "': there is already a " + found->second->kind + " of that id at " +
                         to_string(found->second->origin));
    }
  }
  return ids;
}

const char* word(Mention::Kind kind) {
  switch (kind) {
    case Mention::Kind::fact: return "fact";
    case Mention::Kind::gate: return "gate";
    case Mention::Kind::remedy: return "remedy";
  }
  return "fact";
}

void check_comparison(const FactRule& rule, const Mention& m) {
  const auto& c = *m.condition;
  const auto bad = [&](const std::string& what) {
    fail(m.origin, "'" + m.from + "' compares '" + rule.id + "': " + what);
  };
  if (rule.subject == SubjectKind::port || rule.subject == SubjectKind::link) {
    bad("a fact of a " + std::string(to_string(rule.subject)) + " belongs to no GPU and cannot be compared");
  }
  if (c.op == Operator::is_known || c.op == Operator::is_absent) return;
  const bool ordered = c.op == Operator::at_least || c.op == Operator::below;
  if (ordered && rule.type != FactType::number) bad("only a number can be compared with at_least or below");
  const auto type = static_cast<FactType>(c.value.index());
  if (type != rule.type) {
    bad("it is a " + std::string(to_string(rule.type)) + " and the value is a " + std::string(to_string(type)));
  }
}

void check_mentions(const Catalogue& catalogue, const Definitions& ids) {
  for (const auto& m : catalogue.mentions) {
    const auto found = ids.find(m.id);
    if (found == ids.end() || found->second->kind != word(m.kind)) {
      fail(m.origin, "'" + m.from + "' names the " + word(m.kind) + " '" + m.id + "', which there is not");
    }
    if (m.condition) check_comparison(*find_fact_rule(catalogue.rules, m.id), m);
  }
  for (const auto& rule : catalogue.rules.facts) {
    if (rule.floor_unless.empty()) continue;
    const auto* other = find_fact_rule(catalogue.rules, rule.floor_unless);
    if (other->type != FactType::boolean || other->subject != SubjectKind::host) {
      fail(ids.find(rule.id)->second->origin,
           "fact '" + rule.id + "': 'floor_unless' must name a bool fact of the host");
    }
  }
  for (const auto& cause : catalogue.rules.log_causes) {
    if (cause.sets_fact && find_fact_rule(catalogue.rules, *cause.sets_fact)->subject != SubjectKind::gpu) {
      fail(ids.find(cause.id)->second->origin,
           "log-cause '" + cause.id + "': only a fact of a GPU can be set by a line about it");
    }
  }
}

void check_remedies(const Catalogue& catalogue, const Definitions& ids) {
  std::set<std::string, std::less<>> offered;
  for (const auto& m : catalogue.mentions) {
    if (m.kind == Mention::Kind::remedy) offered.insert(m.id);
  }
  for (const auto& remedy : catalogue.rules.remedies) {
    if (!offered.contains(remedy.id)) {
      fail(ids.find(remedy.id)->second->origin, "remedy '" + remedy.id + "': nothing offers it",
           "name it in the 'remedies' of a clause or the 'settle' of a fact");
    }
  }
}

/// What the outcome of each gate and the expectation of each fact follows from. A remedy and a mode are never
/// depended on, so that only gates and facts can close a circle.
class Dependencies {
 public:
  explicit Dependencies(const Rules& rules) {
    for (const auto& gate : rules.gates) {
      for (const auto& clause : gate.require) {
        for (const auto& c : clause.any_of) depend(gate.id, c);
        for (const auto& c : clause.unless) depend(gate.id, c);
      }
    }
    for (const auto& fact : rules.facts) {
      for (const auto& e : fact.expected) {
        if (e.when) depend(fact.id, *e.when);
        if (!e.gate.empty()) edges_[fact.id].push_back(e.gate);
      }
    }
  }

  /// A circle as `a → b → a`, or empty.
  [[nodiscard]] std::vector<std::string> circle() {
    for (const auto& [id, targets] : edges_) {
      if (auto found = walk(id); !found.empty()) return found;
    }
    return {};
  }

 private:
  void depend(const std::string& id, const Condition& c) { edges_[id].push_back(c.gate.empty() ? c.fact : c.gate); }

  // Depth first with an explicit stack: rules come from files, and recursion must not depend on them.
  std::vector<std::string> walk(const std::string& start) {
    struct Step {
      std::string id;
      std::size_t next = 0;
    };
    std::vector<Step> path{{start, 0}};
    while (!path.empty()) {
      const auto id = path.back().id;
      const auto found = edges_.find(id);
      if (found == edges_.end() || path.back().next >= found->second.size() || done_.contains(id)) {
        done_.insert(id);
        path.pop_back();
        continue;
      }
      const auto& target = found->second[path.back().next++];
      const auto seen = std::find_if(path.begin(), path.end(), [&](const Step& s) { return s.id == target; });
      if (seen != path.end()) {
        std::vector<std::string> ring;
        for (auto step = seen; step != path.end(); ++step) ring.push_back(step->id);
        ring.push_back(target);
        return ring;
      }
      path.push_back({target, 0});
    }
    return {};
  }

  std::map<std::string, std::vector<std::string>, std::less<>> edges_;
  std::set<std::string, std::less<>> done_;
};

void check_circles(const Catalogue& catalogue, const Definitions& ids) {
  const auto ring = Dependencies(catalogue.rules).circle();
  if (ring.empty()) return;
  std::string text;
  for (const auto& id : ring) text += (text.empty() ? "" : " → ") + id;
  fail(ids.find(ring.front())->second->origin, "'" + ring.front() + "' depends on itself: " + text);
}

/// A static fact can prove no, only a probe can prove yes: one clause must rest on probed facts alone.
void check_yes_needs_probe(const Catalogue& catalogue, const Definitions& ids) {
  for (const auto& mode : catalogue.rules.modes) {
    const auto probed = [&](const Condition& c) {
      return c.gate.empty() && find_fact_rule(catalogue.rules, c.fact)->tier == Tier::probed;
    };
    const bool any = std::any_of(mode.require.begin(), mode.require.end(), [&](const Clause& clause) {
      return clause.vendors.empty() && std::all_of(clause.any_of.begin(), clause.any_of.end(), probed) &&
             std::all_of(clause.unless.begin(), clause.unless.end(), probed);
    });
    if (!any) {
      fail(ids.find(mode.id)->second->origin, "mode '" + mode.id + "': readings alone could answer it with yes",
           "one 'require' clause for all vendors must compare probed facts only");
    }
  }
}

}  // namespace

void validate_rules(const Catalogue& catalogue) {
  const auto ids = check_definitions(catalogue);
  check_mentions(catalogue, ids);
  check_remedies(catalogue, ids);
  check_circles(catalogue, ids);
  check_yes_needs_probe(catalogue, ids);
}

}  // namespace gpucoop::rules_file
