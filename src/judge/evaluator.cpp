#include "judge/evaluator.hpp"

#include <algorithm>
#include <array>

namespace gpucoop {

namespace {

void append(std::vector<Leaf>& to, std::vector<Leaf>&& from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), from.begin(), from.end());
  }
}

Tri compare_known(const Condition& c, const FactValue& value) {
  switch (c.op) {
    case Operator::is: return tri(value == c.value);
    case Operator::is_not: return tri(value != c.value);
    case Operator::is_known: return Tri::yes;
    case Operator::is_absent: return Tri::no;
    case Operator::at_least:
    case Operator::below: break;
  }
  const auto* number = std::get_if<double>(&value);
  const auto* limit = std::get_if<double>(&c.value);
  if (number == nullptr || limit == nullptr) return Tri::unknown;
  return tri((*number >= *limit) == (c.op == Operator::at_least));
}

/// The hardware or the source says that there is no such thing: it equals nothing, and that is known.
Tri compare_absent(const Condition& c) {
  return tri(c.op == Operator::is_absent || c.op == Operator::is_known || c.op == Operator::is_not);
}

/// The parts of a focus that a fact of some kind is about, at most two.
struct Parts {
  std::array<Focus, 2> of{};
  std::size_t size = 0;
  [[nodiscard]] const Focus* begin() const { return of.data(); }
  [[nodiscard]] const Focus* end() const { return of.data() + size; }
};

/// A GPU's fact on a pair is looked at for each of both; one of the host or the set once.
Parts parts(SubjectKind kind, const Focus& focus) {
  switch (kind) {
    case SubjectKind::gpu:
    case SubjectKind::library: {
      Parts each;
      for (const auto& gpu : focus) each.of[each.size++] = focus_on(gpu);
      return each;
    }
    case SubjectKind::pair: return {{focus, Focus{}}, focus.size == 2 ? std::size_t{1} : std::size_t{0}};
    case SubjectKind::host:
    case SubjectKind::port:
    case SubjectKind::link:
    case SubjectKind::set: break;
  }
  return {{}, 1};
}

std::span<const Address> members_of(const Focus& focus) { return {focus.begin(), focus.size}; }

/// What sources disagree about has been tried: nothing can be expected of it as of what nobody has tried.
bool is_disputed(const Leaf& leaf) {
  return leaf.fact != nullptr && leaf.fact->value.is_unknown() && leaf.fact->value.reason() == Reason::disagreement;
}

}  // namespace

bool Evaluator::concerns(const std::vector<std::string>& vendors) const {
  return vendors.empty() || std::find(vendors.begin(), vendors.end(), vendor_) != vendors.end();
}

const Evaluator::Term& Evaluator::term(const Condition& c) const {
  const auto [known, fresh] = terms_.try_emplace(&c);
  auto& term = known->second;
  if (!fresh) return term;
  term.condition = &c;
  if (!c.gate.empty()) {
    term.gate = &rules_.gate(c.gate);
    return term;
  }
  term.rule = &rules_.fact(c.fact);
  term.facts = facts_.of_id(c.fact);
  if (!c.unless_known.empty()) {
    term.better_rule = &rules_.fact(c.unless_known);
    term.better = facts_.of_id(c.unless_known);
  }
  return term;
}

const Fact* Evaluator::fact(const FactRule& rule, const FactsOfId* facts, const Focus& focus) const {
  if (facts == nullptr) return nullptr;
  return rule.subject == SubjectKind::set ? facts->find(set_) : facts->find(focus);
}

const Fact* Evaluator::fact(const FactRule& rule, const Focus& focus) const {
  return fact(rule, facts_.of_id(rule.id), focus);
}

Outcome Evaluator::all(const std::vector<Clause>& clauses, Basis basis) const { return all_of(clauses, set_, basis); }

const Outcome& Evaluator::clause(const Clause& c, Basis basis) const {
  auto& known = clauses_[static_cast<std::size_t>(basis)];
  const auto found = known.find(&c);
  if (found != known.end()) return found->second;
  return known.emplace(&c, clause_of(c, set_, basis)).first->second;
}

const Outcome& Evaluator::gate(const GateRule& gate, std::span<const Address> members, Basis basis) const {
  Focus focus;
  if (members.data() != set_.data() && members.size() <= focus.of.size()) {
    std::copy(members.begin(), members.end(), focus.of.begin());
    focus.size = members.size();
  }
  const auto key = std::tuple(&gate, basis, focus);
  const auto known = gates_.find(key);
  if (known != gates_.end()) return known->second;
  return gates_.emplace(key, all_of(gate.require, members, basis)).first->second;
}

Outcome Evaluator::all_of(const std::vector<Clause>& clauses, std::span<const Address> members, Basis basis) const {
  Outcome worst;
  for (const auto& c : clauses) {
    auto outcome = clause_of(c, members, basis);
    if (outcome.value < worst.value) {
      worst = std::move(outcome);
    } else if (outcome.value == worst.value && worst.value != Tri::no) {
      append(worst.leaves, std::move(outcome.leaves));
    }
  }
  return worst;
}

Outcome Evaluator::clause_of(const Clause& c, std::span<const Address> members, Basis basis) const {
  Outcome worst;
  if (!concerns(c.vendors)) return worst;
  const auto consider = [&](const Focus& focus, std::span<const Address> part) {
    for (const auto& exception : c.unless) {
      if (established(exception, focus) == Tri::yes) return;
    }
    auto outcome = any_of(c, focus, part, basis);
    if (outcome.value < worst.value) {
      worst = std::move(outcome);
    } else if (outcome.value == worst.value) {
      append(worst.leaves, std::move(outcome.leaves));
    }
  };
  switch (rules_.level(c)) {
    case Level::set: consider(Focus{}, members); break;
    case Level::gpu:
      for (const auto& gpu : members) {
        const auto focus = focus_on(gpu);
        consider(focus, members_of(focus));
      }
      break;
    case Level::pair:
      for (const auto& a : members) {
        for (const auto& b : members) {
          if (a == b) continue;
          const auto focus = focus_on(a, b);
          consider(focus, members_of(focus));
        }
      }
      break;
  }
  return worst;
}

Outcome Evaluator::any_of(const Clause& c, const Focus& focus, std::span<const Address> members, Basis basis) const {
  Outcome best;
  best.value = Tri::no;
  // This clause says it best where a fact itself decided, not a gate behind it; or where it was given words for that.
  const bool gates_only =
      std::none_of(c.any_of.begin(), c.any_of.end(), [](const Condition& one) { return one.gate.empty(); });
  bool direct = false;
  bool by_gate = false;
  for (const auto& alternative : c.any_of) {
    auto outcome = condition(alternative, focus, members, basis);
    if (outcome.value == Tri::yes) return outcome;
    const bool decided_here = outcome.clause == nullptr && !outcome.leaves.empty();
    if (outcome.value > best.value) {
      best = std::move(outcome);
      direct = decided_here;
      by_gate = !alternative.gate.empty();
    } else if (outcome.value == best.value) {
      direct = direct || decided_here;
      by_gate = by_gate || !alternative.gate.empty();
      if (best.clause == nullptr) {
        best.clause = outcome.clause;
        best.through = std::move(outcome.through);
      }
      append(best.leaves, std::move(outcome.leaves));
    }
  }
  if (direct || best.clause == nullptr || (gates_only && !c.why.empty())) best.clause = &c;
  // What only the expectation of a fact says is no failure of this clause, and its remedies would not help.
  if (direct || by_gate || best.through.empty()) best.through.insert(best.through.begin(), &c);
  return best;
}

Outcome Evaluator::condition(const Condition& c, const Focus& focus, std::span<const Address> members,
                             Basis basis) const {
  const auto& term = this->term(c);
  if (term.gate != nullptr) return gate(*term.gate, members, basis);
  Outcome worst;
  const auto each = parts(term.rule->subject, focus);
  if (each.size == 0) worst.value = Tri::unknown;  // a fact of a GPU, looked at for no GPU in particular
  for (const auto& part : each) {
    auto outcome = compare(term, part, members, basis);
    if (outcome.value < worst.value) {
      worst = std::move(outcome);
    } else if (outcome.value == worst.value) {
      append(worst.leaves, std::move(outcome.leaves));
    }
  }
  return worst;
}

Tri Evaluator::established(const Condition& c, const Focus& focus) const {
  const auto& term = this->term(c);
  if (term.gate != nullptr) {
    const auto members = focus.size == 0 ? std::span<const Address>(set_) : members_of(focus);
    return gate(*term.gate, members, Basis::established).value;
  }
  const auto each = parts(term.rule->subject, focus);
  Tri worst = each.size == 0 ? Tri::unknown : Tri::yes;
  for (const auto& part : each) {
    const auto leaf = look(term, part);
    worst = worst && (leaf ? leaf->value : Tri::no);
  }
  return worst;
}

std::optional<Leaf> Evaluator::look(const Term& term, const Focus& focus) const {
  if (term.better_rule != nullptr) {
    const auto* better = fact(*term.better_rule, term.better, focus);
    if (better != nullptr && better->value.is_known()) return std::nullopt;
  }
  const auto& c = *term.condition;
  const auto& rule = *term.rule;
  Leaf leaf{&c, &rule, fact(rule, term.facts, focus), focus, Tri::unknown, false};
  // Evidence below the tier that the catalogue asks for does not count.
  const bool counts = leaf.fact != nullptr && leaf.fact->tier >= rule.tier;
  if (counts && leaf.fact->value.is_known()) leaf.value = compare_known(c, leaf.fact->value.value());
  if (counts && leaf.fact->value.is_absent()) leaf.value = compare_absent(c);
  if (c.op == Operator::at_least && leaf.value == Tri::no && !rule.floor_unless.empty()) {
    const auto* exact = facts_.find(rule.floor_unless, Focus{});
    leaf.floored = exact == nullptr || !exact->value.is(FactValue(true));
    if (leaf.floored) leaf.value = Tri::unknown;
  }
  return leaf;
}

Outcome Evaluator::compare(const Term& term, const Focus& focus, std::span<const Address> members, Basis basis) const {
  const auto leaf = look(term, focus);
  Outcome outcome;
  if (!leaf) {
    outcome.value = Tri::no;
    return outcome;
  }
  if (leaf->value == Tri::unknown && basis == Basis::expected) return expect(*leaf, members);
  outcome.value = leaf->value;
  outcome.leaves.push_back(*leaf);
  return outcome;
}

Outcome Evaluator::expect(const Leaf& unknown, std::span<const Address> members) const {
  Outcome outcome;
  // Whatever a probe will find, it makes the fact known.
  const Tri known_anyway = unknown.condition->op == Operator::is_known ? Tri::yes : Tri::unknown;
  outcome.value = known_anyway;
  for (const auto& expectation : unknown.rule->expected) {
    if (is_disputed(unknown)) break;
    if (!concerns(expectation.vendors)) continue;
    if (expectation.when && established(*expectation.when, unknown.focus) != Tri::yes) continue;
    Tri expected = tri(expectation.value);
    if (!expectation.gate.empty()) {
      const bool whole = unknown.rule->subject == SubjectKind::set || unknown.rule->subject == SubjectKind::host;
      const auto& behind =
          gate(rules_.gate(expectation.gate), whole ? std::span<const Address>(set_) : members, Basis::expected);
      expected = behind.value;
      outcome.clause = behind.clause;
      outcome.through = behind.through;
      outcome.leaves.reserve(behind.leaves.size() + 1);
      outcome.leaves = behind.leaves;
    }
    if (unknown.condition->op != Operator::is_known && expected != Tri::unknown) {
      outcome.value = compare_known(*unknown.condition, FactValue(expected == Tri::yes));
    }
    break;
  }
  auto leaf = unknown;
  leaf.value = outcome.value;
  outcome.leaves.push_back(leaf);
  return outcome;
}

}  // namespace gpucoop
