// Every clause of the rules decides somewhere: for each one a host is made in which everything else holds and it does
// not, and the answer must be a no (or limited, for a preference) in this clause's words. The listing that is printed
// says where each clause decided.

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/world.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const Rules& rules() { return builtin_rules(); }

/// What is judged: a mode or a row of an engine, with all its clauses.
struct Target {
  std::string id;
  std::vector<const Clause*> require;
  std::vector<const Clause*> prefer;
  std::vector<std::string> vendors;
};

void take(Target& target, const std::vector<Clause>& require, const std::vector<Clause>& prefer) {
  for (const auto& c : require) target.require.push_back(&c);
  for (const auto& c : prefer) target.prefer.push_back(&c);
}

std::vector<Target> targets() {
  std::vector<Target> list;
  for (const auto& mode : rules().modes) {
    Target target{mode.id, {}, {}, {}};
    take(target, mode.require, mode.prefer);
    list.push_back(target);
  }
  for (const auto& row : rules().engine_modes) {
    Target target{row.id, {}, {}, row.vendors};
    take(target, row.require, row.prefer);
    for (const auto& id : row.builds_on) take(target, find_mode(rules(), id)->require, find_mode(rules(), id)->prefer);
    list.push_back(target);
  }
  return list;
}

bool concerns(const std::vector<std::string>& vendors, const World& world) {
  return vendors.empty() || std::find(vendors.begin(), vendors.end(), world.vendor) != vendors.end();
}

bool numbers_hold(const Condition& c, double number) {
  const double limit = std::get<double>(c.value);
  if (c.op == Operator::at_least) return number >= limit;
  if (c.op == Operator::below) return number < limit;
  return c.op == Operator::is ? number == limit : number != limit;
}

/// Whether the world's own values already make a condition on a fact true.
bool holds(const Condition& c, const World& world) {
  if (c.fact == "set.gpus") return numbers_hold(c, world.count);
  if (c.fact == "set.one_vendor") return !world.mixed;
  if (c.fact == "set.alike") return world.alike;
  if (c.fact == "gpu.vendor") return (FactValue(world.vendor) == c.value) == (c.op == Operator::is);
  const auto found = world.values.find(c.fact);
  if (found == world.values.end()) return false;
  if (found->second.is_absent()) return c.op == Operator::is_absent || c.op == Operator::is_not;
  const auto& value = found->second.value();
  switch (c.op) {
    case Operator::is: return value == c.value;
    case Operator::is_not: return value != c.value;
    case Operator::is_known: return true;
    case Operator::is_absent: return false;
    case Operator::at_least:
    case Operator::below: return numbers_hold(c, std::get<double>(value));
  }
  return false;
}

Known<FactValue> value_for(const Condition& c, bool truth) {
  if (c.op == Operator::is_absent) return truth ? Known<FactValue>::absent() : Known<FactValue>(std::string("A=1"));
  if (c.op == Operator::is_known) return Known<FactValue>(true);
  if (const auto* number = std::get_if<double>(&c.value)) {
    const bool up = (c.op == Operator::at_least) == truth;
    if (c.op == Operator::is || c.op == Operator::is_not)
      return FactValue((c.op == Operator::is) == truth ? *number : 0.5);
    // Just below a least value, so that a lower one that another clause asks for still holds.
    const double down = c.op == Operator::at_least ? *number - 0.25 : *number / 2;
    return FactValue(up ? *number * 2 : down);
  }
  const bool same = (c.op == Operator::is) == truth;
  if (const auto* b = std::get_if<bool>(&c.value)) return FactValue(same ? *b : !*b);
  return same ? FactValue(c.value) : FactValue(std::string("something else"));
}

bool is_of_choice(const Condition& c) { return c.fact.rfind("set.", 0) == 0 || c.fact == "gpu.vendor"; }

bool satisfy(const std::vector<const Clause*>& clauses, World& world);

bool satisfy(const std::vector<Clause>& clauses, World& world) {
  std::vector<const Clause*> list;
  for (const auto& c : clauses) list.push_back(&c);
  return satisfy(list, world);
}

/// Gives facts the values that make every clause true, where none has another value yet.
bool satisfy(const std::vector<const Clause*>& clauses, World& world) {
  for (const auto* clause : clauses) {
    if (!concerns(clause->vendors, world)) continue;
    bool done = false;
    for (const auto& c : clause->any_of) done = done || (c.gate.empty() && holds(c, world));
    for (const auto& c : clause->any_of) {
      if (done) break;
      if (!c.gate.empty()) {
        done = satisfy(find_gate(rules(), c.gate)->require, world);
      } else if (!is_of_choice(c) && world.values.count(c.fact) == 0) {
        world.values[c.fact] = value_for(c, true);
        done = true;
      }
    }
    if (!done) return false;
  }
  return true;
}

/// A clause, and those through whose gates it is reached.
using Path = std::vector<const Clause*>;

void paths_of(const Clause& clause, Path above, std::vector<Path>& paths) {
  above.push_back(&clause);
  const bool lone_gate = clause.any_of.size() == 1 && !clause.any_of.front().gate.empty();
  if (!lone_gate || !clause.why.empty()) paths.push_back(above);
  for (const auto& c : clause.any_of) {
    if (c.gate.empty()) continue;
    for (const auto& inner : find_gate(rules(), c.gate)->require) paths_of(inner, above, paths);
  }
}

void forget_exceptions(const Clause& clause, World& world) {
  for (const auto& c : clause.unless) {
    if (!is_of_choice(c)) world.values.erase(c.fact);
  }
}

/// Makes a clause false. False where it cannot be: it is for other vendors, or asks only whether something is known.
bool falsify(const Clause& clause, World& world) {
  for (const auto& c : clause.any_of) {
    if (c.fact != "gpu.vendor" || !holds(c, world)) continue;
    const auto& named = std::get<std::string>(c.value);
    world.vendor = c.op == Operator::is_not ? named : named == "amd" ? "nvidia" : "amd";
  }
  if (!concerns(clause.vendors, world)) return false;
  forget_exceptions(clause, world);
  for (const auto& c : clause.any_of) {
    if (!c.gate.empty()) {
      const auto& inner = find_gate(rules(), c.gate)->require;
      if (std::none_of(inner.begin(), inner.end(), [&](const Clause& one) { return falsify(one, world); }))
        return false;
    } else if (c.fact == "set.gpus") {
      if (!holds(c, world)) continue;
      if (c.op == Operator::below) world.count = static_cast<int>(std::get<double>(c.value));
      if (c.op == Operator::at_least) world.count = static_cast<int>(std::get<double>(c.value)) - 1;
      if (c.op == Operator::is) world.count = 5;
    } else if (c.fact == "set.one_vendor") {
      world.mixed = true;
    } else if (c.fact == "set.alike") {
      world.alike = false;
    } else if (c.fact == "gpu.vendor") {
      continue;
    } else if (c.op == Operator::is_known) {
      return false;
    } else {
      world.values[c.fact] = value_for(c, false);
    }
  }
  return true;
}

/// All that stands outside of braces.
std::vector<std::string> fixed_parts(const std::string& text) {
  std::vector<std::string> parts;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto open = rest.find('{');
    if (open != 0) parts.emplace_back(rest.substr(0, open));
    if (open == std::string_view::npos) break;
    rest.remove_prefix(rest.find('}') + 1);
  }
  return parts;
}

bool says(const std::string& why, const std::string& words) {
  const auto parts = fixed_parts(words);
  return !parts.empty() && std::all_of(parts.begin(), parts.end(),
                                       [&](const std::string& part) { return why.find(part) != std::string::npos; });
}

struct Answered {
  ModeState state = ModeState::unknown;
  Known<ModeState> expected;
  std::string why;
};

std::optional<Answered> answer_of(const std::string& id, const World& world) {
  const auto judgement = world.judged();
  for (const auto& m : judgement.modes) {
    if (m.id == id) return Answered{m.state, m.expected, m.why};
  }
  for (const auto& e : judgement.engines) {
    if (e.id == id) return Answered{e.state, e.expected, e.why};
  }
  return std::nullopt;
}

/// A world in which the target works without a reservation, or nothing where there is none for this vendor.
std::optional<World> good_world(const Target& target, const std::string& vendor) {
  for (const int count : {4, 2, 3}) {
    World world;
    world.vendor = vendor;
    world.count = count;
    if (!concerns(target.vendors, world)) return std::nullopt;
    if (!satisfy(target.require, world)) continue;
    satisfy(target.prefer, world);
    const auto here = answer_of(target.id, world);
    if (here && (here->state == ModeState::yes || here->state == ModeState::degraded)) return world;
  }
  return std::nullopt;
}

bool decides(const Target& target, const Path& path, bool required, const World& good) {
  auto world = good;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (!concerns(path[i]->vendors, world)) return false;
    forget_exceptions(*path[i], world);
    // The other alternatives of a clause on the way must not make up for it.
    for (const auto& c : path[i]->any_of) {
      if (c.gate.empty() && !is_of_choice(c) && c.op != Operator::is_known) world.values[c.fact] = value_for(c, false);
    }
  }
  if (!falsify(*path.back(), world)) return false;
  const auto here = answer_of(target.id, world);
  if (!here) return false;
  const auto wanted = required ? ModeState::no : ModeState::degraded;
  if (here->state != wanted && !here->expected.is(wanted)) return false;
  std::string words;
  for (const auto* clause : path) {
    if (!clause->why.empty()) words = clause->why;
  }
  return says(here->why, words);
}

std::string words_of(const Clause& clause) {
  if (!clause.why.empty()) return clause.why;
  return "gate " + clause.any_of.front().gate;
}

bool only_asks_whether_known(const Clause& clause) {
  return std::all_of(clause.any_of.begin(), clause.any_of.end(),
                     [](const Condition& c) { return c.op == Operator::is_known; });
}

}  // namespace

TEST_CASE("for every mode and every engine's way there is a host on which it works") {
  for (const auto& target : targets()) {
    CAPTURE(target.id);
    bool any = false;
    for (const char* vendor : {"nvidia", "amd", "intel"}) any = any || good_world(target, vendor).has_value();
    CHECK(any);
  }
}

TEST_CASE("every clause of the rules decides somewhere") {
  struct Covered {
    const Clause* clause;
    std::vector<std::string> where;
  };
  std::vector<Covered> covered;
  const auto row_of = [&](const Clause* clause) -> Covered& {
    const auto found =
        std::find_if(covered.begin(), covered.end(), [&](const Covered& c) { return c.clause == clause; });
    if (found != covered.end()) return *found;
    return covered.emplace_back(Covered{clause, {}});
  };
  for (const auto& target : targets()) {
    std::vector<World> worlds;
    for (const char* vendor : {"amd", "nvidia", "intel"}) {
      if (const auto world = good_world(target, vendor)) worlds.push_back(*world);
    }
    for (const bool required : {true, false}) {
      for (const auto* clause : required ? target.require : target.prefer) {
        std::vector<Path> paths;
        paths_of(*clause, {}, paths);
        for (const auto& path : paths) {
          auto& row = row_of(path.back());
          const bool here = std::any_of(worlds.begin(), worlds.end(),
                                        [&](const World& world) { return decides(target, path, required, world); });
          if (here) row.where.push_back(target.id);
        }
      }
    }
  }
  std::string listing;
  for (const auto& row : covered) {
    const auto words = words_of(*row.clause);
    listing += fmt::format("  {:3} {}\n", row.where.size(), words.substr(0, 110));
    CAPTURE(words);
    // That something has to be known makes an unknown, never a no; judge_test shows it.
    if (only_asks_whether_known(*row.clause)) continue;
    CHECK_FALSE(row.where.empty());
  }
  fmt::print("{} clauses, and for how many modes and ways of engines each has decided:\n{}", covered.size(), listing);
}

TEST_CASE("every piece of advice holds on some host and is silent where nothing calls for it") {
  std::map<std::string, std::pair<bool, bool>> seen;  // given, not given
  for (const auto& target : targets()) {
    for (const char* vendor : {"amd", "nvidia", "intel"}) {
      const auto good = good_world(target, vendor);
      if (!good) continue;
      const auto note = [&](const World& world) {
        const auto judgement = world.judged();
        for (const auto& verdict : judgement.engines) {
          if (verdict.id != target.id) continue;
          for (const auto& id : find_engine_mode(rules(), verdict.id)->advice) {
            const auto rule = std::find_if(rules().advice.begin(), rules().advice.end(),
                                           [&](const AdviceRule& a) { return a.id == id; });
            const bool given = std::any_of(verdict.advice.begin(), verdict.advice.end(),
                                           [&](const Advice& a) { return a.text == rule->text; });
            auto& entry = seen[id];
            (given ? entry.first : entry.second) = true;
          }
        }
      };
      note(*good);
      for (const auto& advice : rules().advice) {
        auto world = *good;
        for (const auto& c : advice.when) world.values[c.fact] = value_for(c, true);
        if (!advice.any_of.empty()) world.values[advice.any_of.front().fact] = value_for(advice.any_of.front(), true);
        for (const auto& c : advice.unless) world.values.erase(c.fact);
        note(world);
      }
    }
  }
  for (const auto& advice : rules().advice) {
    CAPTURE(advice.id);
    CHECK(seen[advice.id].first);
    const bool always = advice.when.empty() && advice.any_of.empty() && advice.vendors.empty();
    if (!always) CHECK(seen[advice.id].second);
  }
}
