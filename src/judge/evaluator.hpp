#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "judge/fact_index.hpp"
#include "judge/rule_index.hpp"

namespace gpucoop {

/// Established: only what the facts say. Expected: a fact that nobody has established counts as its rule expects it.
enum class Basis : std::uint8_t { established, expected };

/// One comparison of a fact and what came of it.
struct Leaf {
  const Condition* condition = nullptr;
  const FactRule* rule = nullptr;
  const Fact* fact = nullptr;  ///< null: no source has such a fact
  Focus focus;                 ///< none for a fact of the host or the set
  Tri value = Tri::unknown;
  bool floored = false;  ///< unknown because the number is only a lower bound
};

/// The outcome of clauses, with what it rests on.
struct Outcome {
  Tri value = Tri::yes;
  const Clause* clause = nullptr;      ///< the one whose words fit: the innermost that decided; null for yes
  std::vector<const Clause*> through;  ///< the clauses that led to it, outermost first
  std::vector<Leaf> leaves;            ///< the comparisons that decided, of every subject for which they did
};

/// Three-valued evaluation for one set of GPUs: all clauses, any condition, nothing else. Remembers the outcomes of
/// clauses and gates, since modes and engines share them: it must not be shared between threads, and no fact about the
/// set may be added once it has been asked.
class Evaluator {
 public:
  /// Everything must outlive the evaluator.
  Evaluator(const FactIndex& facts, const RuleIndex& rules, const std::vector<Address>& set, std::string_view vendor)
      : facts_(facts), rules_(rules), set_(set), vendor_(vendor) {}

  /// The first clause with the worst outcome decides; a yes or an unknown has the leaves of all such clauses.
  [[nodiscard]] Outcome all(const std::vector<Clause>& clauses, Basis basis) const;
  /// Valid as long as the evaluator.
  [[nodiscard]] const Outcome& clause(const Clause& clause, Basis basis) const;
  /// One condition for one subject, from the facts alone.
  [[nodiscard]] Tri established(const Condition& condition, const Focus& focus) const;
  /// The fact that a condition names, for that subject: null where no source has it.
  [[nodiscard]] const Fact* fact(const FactRule& rule, const Focus& focus) const;
  [[nodiscard]] const std::vector<Address>& set() const { return set_; }
  [[nodiscard]] std::string_view vendor() const { return vendor_; }
  [[nodiscard]] const RuleIndex& rules() const { return rules_; }
  /// True where `vendors` is empty or has the set's.
  [[nodiscard]] bool concerns(const std::vector<std::string>& vendors) const;

 private:
  /// A condition with all that its ids stand for; null where it names no such thing.
  struct Term {
    const Condition* condition = nullptr;
    const GateRule* gate = nullptr;
    const FactRule* rule = nullptr;
    const FactsOfId* facts = nullptr;
    const FactRule* better_rule = nullptr;  ///< of the fact that replaces the condition
    const FactsOfId* better = nullptr;
  };
  const Term& term(const Condition& condition) const;
  const Fact* fact(const FactRule& rule, const FactsOfId* facts, const Focus& focus) const;
  /// What the facts alone say. Nothing where a better fact replaces the condition.
  std::optional<Leaf> look(const Term& term, const Focus& focus) const;
  const Outcome& gate(const GateRule& gate, std::span<const Address> members, Basis basis) const;
  Outcome all_of(const std::vector<Clause>& clauses, std::span<const Address> members, Basis basis) const;
  Outcome clause_of(const Clause& clause, std::span<const Address> members, Basis basis) const;
  Outcome any_of(const Clause& clause, const Focus& focus, std::span<const Address> members, Basis basis) const;
  Outcome condition(const Condition& condition, const Focus& focus, std::span<const Address> members,
                    Basis basis) const;
  Outcome compare(const Term& term, const Focus& focus, std::span<const Address> members, Basis basis) const;
  Outcome expect(const Leaf& unknown, std::span<const Address> members) const;

  const FactIndex& facts_;
  const RuleIndex& rules_;
  const std::vector<Address>& set_;
  std::string_view vendor_;
  mutable std::unordered_map<const Condition*, Term> terms_;
  /// Of whole clauses, by basis.
  mutable std::array<std::unordered_map<const Clause*, Outcome>, 2> clauses_;
  /// Outcomes of gates: modes share them, and so do the expectations of facts. For the whole set there is no focus.
  mutable std::map<std::tuple<const GateRule*, Basis, Focus>, Outcome> gates_;
};

}  // namespace gpucoop
