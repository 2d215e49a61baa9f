#pragma once

#include <string_view>
#include <unordered_map>

#include "rules/rules.hpp"

namespace gpucoop {

/// How many things a clause is looked at for: once, for each GPU, for each ordered pair.
enum class Level : std::uint8_t { set, gpu, pair };

/// Rules by id. Refers to `rules`, which must outlive it.
class RuleIndex {
 public:
  explicit RuleIndex(const Rules& rules);

  [[nodiscard]] const Rules& rules() const { return rules_; }
  /// Precondition of all: the id is one of a validated catalogue.
  [[nodiscard]] const FactRule& fact(std::string_view id) const { return *facts_.at(id); }
  [[nodiscard]] const GateRule& gate(std::string_view id) const { return *gates_.at(id); }
  [[nodiscard]] const ModeRule& mode(std::string_view id) const { return *modes_.at(id); }
  [[nodiscard]] const AdviceRule& advice(std::string_view id) const { return *advice_.at(id); }
  [[nodiscard]] const RemedyRule& remedy(std::string_view id) const { return *remedies_.at(id); }
  [[nodiscard]] bool has_fact(std::string_view id) const { return facts_.count(id) != 0; }
  /// What the clause has to be looked at for: the finest kind of subject among its conditions, through their gates.
  /// A gate that stands alone looks at the subjects of its clauses by itself, so that it does not count.
  [[nodiscard]] Level level(const Clause& clause) const { return levels_.at(&clause).own; }

 private:
  struct Levels {
    Level own = Level::set;
    Level deep = Level::set;
  };
  Level deep_level(const Condition& condition);
  Level deep_level(const std::vector<Clause>& clauses);

  const Rules& rules_;
  std::unordered_map<std::string_view, const FactRule*> facts_;
  std::unordered_map<std::string_view, const GateRule*> gates_;
  std::unordered_map<std::string_view, const ModeRule*> modes_;
  std::unordered_map<std::string_view, const AdviceRule*> advice_;
  std::unordered_map<std::string_view, const RemedyRule*> remedies_;
  std::unordered_map<const Clause*, Levels> levels_;
};

}  // namespace gpucoop
