#pragma once

#include <deque>
#include <string>
#include <vector>

#include "judge/evaluator.hpp"
#include "judge/remedy_book.hpp"
#include "judge/sets.hpp"
#include "model/report.hpp"

namespace gpucoop {

/// Facts that verdicts name and no source has: unknown, each once.
class MissingFacts {
 public:
  /// The reference of the leaf's fact; where there is none, it is added here.
  std::string reference_of(const Leaf& leaf, const std::vector<Address>& set);
  [[nodiscard]] const std::vector<Fact>& facts() const { return facts_; }

 private:
  std::vector<Fact> facts_;
};

/// The judgement of one mode over the evaluator's set. Remedies are added to `book`, unknown facts to `missing`.
[[nodiscard]] ModeVerdict judge_mode(const ModeRule& mode, const Evaluator& evaluator,
                                     const std::vector<LeftOut>& left_out, RemedyBook& book, MissingFacts& missing);

}  // namespace gpucoop
