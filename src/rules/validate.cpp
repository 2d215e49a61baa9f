#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "rules/catalogue.hpp"

namespace gpucoop::rules_file {

namespace {

using Definitions = std::map<std::string, const Definition*, std::less<>>;

std::string with_article(const std::string& kind) {
  const bool vowel = std::string_view("aeio").find(kind.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + kind;
}

/// Ids are unique over all kinds, so that `explain ID` has one answer.
Definitions check_definitions(const Catalogue& catalogue) {
  Definitions ids;
  for (const auto& d : catalogue.definitions) {
    const auto [found, fresh] = ids.emplace(d.id, &d);
    if (!fresh) {
      fail(d.origin, d.kind + " '" + d.id + "': there is already " + with_article(found->second->kind) +
                         " of that id at " + to_string(found->second->origin));
    }
  }
  return ids;
}

const char* word(Mention::Kind kind) {
  switch (kind) {
    case Mention::Kind::fact: return "fact";
    case Mention::Kind::gate: return "gate";
    case Mention::Kind::mode: return "mode";
    case Mention::Kind::engine: return "engine";
    case Mention::Kind::advice: return "advice";
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

/// Remedies and advice are of use only where something names them.
template <class Rule>
void check_named(const std::vector<Rule>& rules, Mention::Kind kind, const std::string& where,
                 const Catalogue& catalogue, const Definitions& ids) {
  std::set<std::string, std::less<>> named;
  for (const auto& m : catalogue.mentions) {
    if (m.kind == kind) named.insert(m.id);
  }
  for (const auto& rule : rules) {
    const auto& definition = *ids.find(rule.id)->second;
    if (!definition.of_base && !named.contains(rule.id)) {
      fail(definition.origin, std::string(word(kind)) + " '" + rule.id + "': nothing offers it", "name it in " + where);
    }
  }
}

// The judge follows gates and expectations by recursion, so that its depth and its length are bounded here.
constexpr unsigned kMostNested = 32;
constexpr std::uint64_t kMostFollowed = 10000;

/// What the outcome of each gate and the expectation of each fact follows from. Nothing depends on a mode or a
/// remedy, so that only gates and facts can close a circle.
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

  /// A circle as `a`, `b`, `a`, or empty.
  [[nodiscard]] std::vector<std::string> circle() {
    for (const auto& [id, targets] : edges_) {
      if (auto found = walk(id); !found.empty()) return found;
    }
    return {};
  }

  /// After `circle`: how deep gates and facts are nested below an id, and how many of them there are when each is
  /// counted as often as it is followed.
  struct Size {
    unsigned depth = 1;
    std::uint64_t count = 1;
  };
  [[nodiscard]] const std::map<std::string, Size, std::less<>>& sizes() const { return sizes_; }

 private:
  void depend(const std::string& id, const Condition& c) { edges_[id].push_back(c.gate.empty() ? c.fact : c.gate); }

  // Depth first with an explicit stack: rules come from files, and recursion must not depend on them.
  std::vector<std::string> walk(const std::string& start) {
    struct Step {
      std::string id;
      std::size_t next = 0;
      Size size = {};
    };
    std::vector<Step> path{{start}};
    std::set<std::string, std::less<>> on_path{start};
    while (!path.empty()) {
      auto& step = path.back();
      const auto found = edges_.find(step.id);
      if (found == edges_.end() || step.next >= found->second.size() || sizes_.contains(step.id)) {
        const auto size = sizes_.emplace(step.id, step.size).first->second;
        on_path.erase(step.id);
        path.pop_back();
        if (!path.empty()) {
          auto& above = path.back().size;
          above.depth = std::max(above.depth, size.depth + 1);
          above.count = std::min<std::uint64_t>(above.count + size.count, kMostFollowed + 1);
        }
        continue;
      }
      const auto& target = found->second[step.next++];
      if (on_path.contains(target)) {
        std::vector<std::string> ring;
        auto from = std::find_if(path.begin(), path.end(), [&](const Step& s) { return s.id == target; });
        for (; from != path.end(); ++from) ring.push_back(from->id);
        ring.push_back(target);
        return ring;
      }
      on_path.insert(target);
      path.push_back({target});
    }
    return {};
  }

  std::map<std::string, std::vector<std::string>, std::less<>> edges_;
  std::map<std::string, Size, std::less<>> sizes_;
};

void check_dependencies(const Catalogue& catalogue, const Definitions& ids) {
  Dependencies dependencies(catalogue.rules);
  if (const auto ring = dependencies.circle(); !ring.empty()) {
    std::string text;
    for (const auto& id : ring) text += (text.empty() ? "" : " → ") + id;
    // What closed the circle is in the files that were put over others, if there are such.
    const auto own =
        std::find_if(ring.begin(), ring.end(), [&](const std::string& id) { return !ids.at(id)->of_base; });
    const auto& named = own == ring.end() ? ring.front() : *own;
    fail(ids.at(named)->origin, "'" + named + "' depends on itself: " + text);
  }
  for (const auto& [id, size] : dependencies.sizes()) {
    const auto& origin = ids.find(id)->second->origin;
    if (size.depth > kMostNested) {
      fail(origin, "'" + id + "' is nested more than " + std::to_string(kMostNested) + " gates and facts deep");
    }
    if (size.count > kMostFollowed) {
      fail(origin, "'" + id + "' comes to more than " + std::to_string(kMostFollowed) + " gates and facts");
    }
  }
}

/// A static fact can prove no, only a probe can prove yes: one clause must rest on probed facts alone, in the mode
/// itself or in a gate that it requires.
class YesNeedsProbe {
 public:
  explicit YesNeedsProbe(const Rules& rules) : rules_(rules) {}

  [[nodiscard]] bool holds(const std::vector<Clause>& require) {
    return std::any_of(require.begin(), require.end(), [this](const Clause& clause) {
      return clause.vendors.empty() &&
             std::all_of(clause.any_of.begin(), clause.any_of.end(),
                         [this](const Condition& c) { return probed(c); }) &&
             std::all_of(clause.unless.begin(), clause.unless.end(), [this](const Condition& c) { return probed(c); });
    });
  }

 private:
  bool probed(const Condition& c) {
    if (c.gate.empty()) return find_fact_rule(rules_, c.fact)->tier == Tier::probed;
    const auto [known, fresh] = gates_.emplace(c.gate, false);
    if (fresh) known->second = holds(find_gate(rules_, c.gate)->require);
    return known->second;
  }

  const Rules& rules_;
  std::map<std::string, bool, std::less<>> gates_;
};

void check_yes_needs_probe(const Catalogue& catalogue, const Definitions& ids) {
  YesNeedsProbe check(catalogue.rules);
  for (const auto& mode : catalogue.rules.modes) {
    if (!check.holds(mode.require)) {
      fail(ids.find(mode.id)->second->origin, "mode '" + mode.id + "': readings alone could answer it with yes",
           "one 'require' clause for all vendors must compare probed facts only");
    }
  }
  for (const auto& row : catalogue.rules.engine_modes) {
    if (row.builds_on.empty() && !check.holds(row.require)) {
      fail(ids.find(row.id)->second->origin, "engine-mode '" + row.id + "': readings alone could answer it with yes",
           "let it build on a mode, or let one 'require' clause for all vendors compare probed facts only");
    }
  }
}

void check_engines(const Catalogue& catalogue, const Definitions& ids) {
  for (const auto& engine : catalogue.rules.engines) {
    const auto& rows = catalogue.rules.engine_modes;
    if (ids.find(engine.id)->second->of_base) continue;
    if (std::none_of(rows.begin(), rows.end(), [&](const EngineModeRule& r) { return r.engine == engine.id; })) {
      fail(ids.find(engine.id)->second->origin, "engine '" + engine.id + "': it has no way of doing anything",
           "add an [[engine-mode]] with engine = \"" + engine.id + "\"");
    }
  }
}

}  // namespace

void check_ids(const Catalogue& catalogue) { (void)check_definitions(catalogue); }

void validate_rules(const Catalogue& catalogue) {
  const auto ids = check_definitions(catalogue);
  check_mentions(catalogue, ids);
  check_named(catalogue.rules.remedies, Mention::Kind::remedy, "the 'remedies' of a clause or the 'settle' of a fact",
              catalogue, ids);
  check_named(catalogue.rules.advice, Mention::Kind::advice, "the 'advice' of an engine-mode", catalogue, ids);
  check_dependencies(catalogue, ids);
  check_yes_needs_probe(catalogue, ids);
  check_engines(catalogue, ids);
}

}  // namespace gpucoop::rules_file
