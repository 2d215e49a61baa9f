#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "judge/evaluator.hpp"

namespace gpucoop {

/// Facts that verdicts name and no source has: unknown, each once.
class MissingFacts {
 public:
  /// The reference of the leaf's fact; where there is none, it is added here.
  std::string reference_of(const Leaf& leaf, const std::vector<Address>& set);
  [[nodiscard]] const std::vector<Fact>& facts() const { return facts_; }

 private:
  std::vector<Fact> facts_;
  std::unordered_set<std::string> references_;  ///< of `facts_`
};

}  // namespace gpucoop
