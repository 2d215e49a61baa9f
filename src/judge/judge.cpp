#include "judge/judge.hpp"

#include <fmt/core.h>

#include "judge/evaluator.hpp"
#include "judge/remedy_book.hpp"
#include "judge/sets.hpp"
#include "judge/verdict.hpp"
#include "judge/words.hpp"

namespace gpucoop {

namespace {

constexpr std::string_view kSetSize = "set.gpus";

Fact set_size(const std::vector<Address>& gpus) {
  Fact fact;
  fact.id = kSetSize;
  fact.subject = {SubjectKind::set, gpus};
  fact.value = FactValue(static_cast<double>(gpus.size()));
  fact.evidence = gpus.empty() ? "no GPU that can be used" : "counted: " + list_of(gpus, 16);
  return fact;
}

std::string vendor_word(const std::string& vendor) {
  if (vendor == "amd") return "AMD ";
  if (vendor == "nvidia") return "NVIDIA ";
  if (vendor == "intel") return "Intel ";
  return {};
}

GpuSet described(const Candidates& set, std::size_t sets) {
  auto why = fmt::format("the {}{}GPU{}", vendor_word(set.vendor), set.integrated ? "integrated " : "",
                         set.gpus.size() == 1 ? "" : "s");
  if (sets > 1) why += "; other vendors' GPUs are judged apart, since they share no collective library";
  return {set.gpus, why};
}

}  // namespace

Judgement judge(const std::vector<Fact>& facts, const Rules& rules) {
  Judgement judgement;
  FactIndex index(facts);
  const RuleIndex rule_index(rules);
  auto selection = select_sets(index);
  for (const auto& set : selection.sets) judgement.sets.push_back(described(set, selection.sets.size()));
  // Modes are judged even where no GPU can be used, so that the report says why.
  if (selection.sets.empty() && selection.any_gpu) selection.sets.push_back({{}, "other", false});

  std::vector<Fact> sizes;
  sizes.reserve(selection.sets.size());
  for (const auto& set : selection.sets) sizes.push_back(set_size(set.gpus));
  for (const auto& size : sizes) index.add(size);

  RemedyBook book(rule_index);
  MissingFacts missing;
  for (const auto& set : selection.sets) {
    const Evaluator evaluator(index, rule_index, set.gpus, set.vendor);
    for (const auto& mode : rules.modes) {
      judgement.modes.push_back(judge_mode(mode, evaluator, selection.left_out, book, missing));
    }
  }
  judgement.remedies = book.take();
  judgement.facts = std::move(sizes);
  judgement.facts.insert(judgement.facts.end(), missing.facts().begin(), missing.facts().end());
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
