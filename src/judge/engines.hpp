#pragma once

#include <unordered_map>
#include <vector>

#include "judge/verdict.hpp"

namespace gpucoop {

/// Judges rows of the engines' table over one set. Remembers which advice holds there, since rows share it.
class EngineJudge {
 public:
  /// Everything must outlive it. Remedies are added to `book`, unknown facts to `missing`.
  EngineJudge(const Evaluator& evaluator, const std::vector<LeftOut>& left_out, RemedyBook& book, MissingFacts& missing)
      : evaluator_(evaluator), left_out_(left_out), book_(book), missing_(missing) {}

  /// The row's own clauses with those of the modes that it builds on, the flags that turn it on, and the advice that
  /// holds here.
  [[nodiscard]] EngineVerdict judge(const EngineModeRule& row);

 private:
  bool holds(const AdviceRule& advice);

  const Evaluator& evaluator_;
  const std::vector<LeftOut>& left_out_;
  RemedyBook& book_;
  MissingFacts& missing_;
  std::unordered_map<const AdviceRule*, bool> holds_;
};

}  // namespace gpucoop
