#pragma once

#include <string>
#include <vector>

#include "judge/evaluator.hpp"
#include "judge/missing_facts.hpp"
#include "judge/remedy_book.hpp"
#include "judge/sets.hpp"
#include "model/report.hpp"

namespace gpucoop {

/// What is judged: the clauses of a mode, or of an engine's way of doing it together with those of the modes that it
/// builds on. Refers to the rules.
struct Question {
  std::vector<const Clause*> require;  ///< any false: no; any unknown: unknown
  std::vector<const Clause*> prefer;   ///< any false: degraded
  const std::string* unproven = nullptr;
  const std::vector<SettledBy>* settled_by = nullptr;
};
[[nodiscard]] Question question(const ModeRule& mode);
[[nodiscard]] Question question(const EngineModeRule& row, const RuleIndex& rules);

/// What a question comes to for one set, and every requirement that is false (where nothing is established to be:
/// that is expected to be). Refers to the evaluator.
struct Standing {
  ModeState state = ModeState::unknown;
  Known<ModeState> expected;
  std::vector<const Outcome*> failed;
};
[[nodiscard]] Standing standing(const Question& question, const Evaluator& evaluator);

/// The answer for the evaluator's set, in words, with what decided it. Remedies are added to `book`, unknown facts to
/// `missing`.
[[nodiscard]] Answer answer(const Question& question, const Evaluator& evaluator, const std::vector<LeftOut>& left_out,
                            RemedyBook& book, MissingFacts& missing);

}  // namespace gpucoop
