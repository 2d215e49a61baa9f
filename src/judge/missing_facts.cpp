#include "judge/missing_facts.hpp"

#include <utility>

#include "judge/words.hpp"

namespace gpucoop {

namespace {

Reason why_missing(const FactRule& rule) {
  if (rule.subject == SubjectKind::library) return Reason::not_inspected;
  return rule.tier == Tier::static_ ? Reason::not_in_input : Reason::not_probed;
}

Subject subject_of(const Leaf& leaf, const std::vector<Address>& set) {
  if (leaf.rule->subject == SubjectKind::set) return {SubjectKind::set, set};
  return {leaf.rule->subject, {leaf.focus.begin(), leaf.focus.end()}};
}

}  // namespace

std::string MissingFacts::reference_of(const Leaf& leaf, const std::vector<Address>& set) {
  if (leaf.fact != nullptr) return reference(*leaf.fact);
  Fact fact;
  fact.id = leaf.rule->id;
  fact.subject = subject_of(leaf, set);
  auto name = reference(fact);
  if (!references_.insert(name).second) return name;
  fact.value = Known<FactValue>::unknown(why_missing(*leaf.rule));
  fact.tier = leaf.rule->tier;
  fact.evidence = reason_words(fact.value.reason());
  facts_.push_back(std::move(fact));
  return name;
}

}  // namespace gpucoop
