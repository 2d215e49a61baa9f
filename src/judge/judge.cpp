#include "judge/judge.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "judge/engines.hpp"
#include "judge/evaluator.hpp"
#include "judge/remedy_book.hpp"
#include "judge/set_facts.hpp"
#include "judge/sets.hpp"
#include "judge/subset.hpp"
#include "judge/verdict.hpp"
#include "judge/words.hpp"

namespace gpucoop {

namespace {

GpuSet described(const Candidates& set, std::size_t sets) {
  const auto vendor = vendor_name(set.vendor);
  auto why = fmt::format("the {}{}{}GPU{}", vendor, vendor.empty() ? "" : " ", set.integrated ? "integrated " : "",
                         set.gpus.size() == 1 ? "" : "s");
  if (sets > 1) why += "; other vendors' GPUs are judged apart, since they share no collective library";
  return {set.gpus, why};
}

/// The chosen GPUs as the one set.
Selection chosen(const std::vector<Address>& gpus, const FactIndex& facts) {
  Selection selection;
  selection.any_gpu = true;
  Candidates set{gpus, {}, false};
  for (const auto& gpu : gpus) {
    const auto* vendor = facts.text("gpu.vendor", focus_on(gpu));
    const std::string word = vendor == nullptr ? "other" : *vendor;
    set.vendor = set.vendor.empty() || set.vendor == word ? word : "mixed";
  }
  selection.sets.push_back(std::move(set));
  return selection;
}

bool cannot(const ModeVerdict& mode) { return likely(mode.state, mode.expected) == ModeState::no; }

/// Judges every set with everything that the rules ask.
class Judgements {
 public:
  Judgements(const std::vector<Fact>& facts, const Rules& rules)
      : facts_(facts),
        rules_(rules),
        index_(facts),
        rule_index_(rules),
        evaluators_(index_, rule_index_),
        book_(rule_index_) {}

  [[nodiscard]] const FactIndex& index() const { return index_; }

  void judge_set(const Candidates& set, const std::vector<LeftOut>& left_out) {
    const auto& evaluator = evaluators_.of(set.gpus, set.vendor);
    const auto tried = tried_parts(facts_, set.gpus);
    for (const auto& mode : rules_.modes) {
      const auto asked = question(mode);
      ModeVerdict verdict{answer(asked, evaluator, left_out, book_, missing_), mode.id, mode.title, {}};
      if (cannot(verdict) && set.gpus.size() > 2) {
        verdict.best = best_subset(asked, set.gpus, set.vendor, tried, evaluators_);
      }
      judgement_.modes.push_back(std::move(verdict));
    }
    EngineJudge engines(evaluator, left_out, book_, missing_);
    for (const auto& row : rules_.engine_modes) {
      if (!evaluator.concerns(row.vendors)) continue;
      judgement_.engines.push_back(engines.judge(row));
    }
    const auto& own = evaluators_.facts_of(set.gpus);
    judgement_.facts.insert(judgement_.facts.end(), own.begin(), own.end());
  }

  Judgement take() {
    judgement_.remedies = book_.take();
    judgement_.facts.insert(judgement_.facts.end(), missing_.facts().begin(), missing_.facts().end());
    return std::move(judgement_);
  }

 private:
  const std::vector<Fact>& facts_;
  const Rules& rules_;
  FactIndex index_;
  RuleIndex rule_index_;
  Evaluators evaluators_;
  RemedyBook book_;
  MissingFacts missing_;
  Judgement judgement_;
};

}  // namespace

Judgement judge(const std::vector<Fact>& facts, const Rules& rules, const JudgeOptions& options) {
  Judgements judgements(facts, rules);
  auto selection = options.gpus ? chosen(*options.gpus, judgements.index()) : select_sets(judgements.index());
  std::vector<GpuSet> sets;
  for (const auto& set : selection.sets) {
    sets.push_back(options.gpus ? GpuSet{set.gpus, "chosen"} : described(set, selection.sets.size()));
  }
  // Modes are judged even where no GPU can be used, so that the report says why.
  if (selection.sets.empty() && selection.any_gpu) selection.sets.push_back({{}, "other", false});
  for (const auto& set : selection.sets) judgements.judge_set(set, selection.left_out);
  auto judgement = judgements.take();
  judgement.sets = std::move(sets);
  if (selection.not_judged != 0) {
    judgement.warnings.push_back(
        {"set.too-many",
         fmt::format("{} more GPUs are listed than are judged together; the rest is left out.", selection.not_judged),
         {}});
  }
  for (const auto& left : selection.left_out) {
    if (!left.worth_saying) continue;
    judgement.warnings.push_back(
        {"set.left-out", short_form(left.gpu) + " is left out: " + left.why, to_string(left.gpu)});
  }
  return judgement;
}

}  // namespace gpucoop
