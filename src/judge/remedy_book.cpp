#include "judge/remedy_book.hpp"

#include <algorithm>

#include "judge/words.hpp"

namespace gpucoop {

namespace {

bool true_for(const Condition& condition, const Address& gpu, const RuleIndex& rules, const Evaluator& evaluator) {
  if (!condition.gate.empty() || rules.fact(condition.fact).subject != SubjectKind::pair) {
    return evaluator.established(condition, focus_on(gpu)) == Tri::yes;
  }
  const auto& set = evaluator.set();
  return std::any_of(set.begin(), set.end(), [&](const Address& other) {
    return other != gpu && (evaluator.established(condition, focus_on(gpu, other)) == Tri::yes ||
                            evaluator.established(condition, focus_on(other, gpu)) == Tri::yes);
  });
}

}  // namespace

bool applies(const RemedyRule& rule, const Address& gpu, const Evaluator& evaluator) {
  const auto holds = [&](const Condition& c) { return true_for(c, gpu, evaluator.rules(), evaluator); };
  return std::all_of(rule.when.begin(), rule.when.end(), holds) &&
         std::none_of(rule.unless.begin(), rule.unless.end(), holds);
}

bool applies(const RemedyRule& rule, const Evaluator& evaluator) {
  const auto holds = [&](const Condition& c) { return evaluator.established(c, Focus{}) == Tri::yes; };
  return std::all_of(rule.when.begin(), rule.when.end(), holds) &&
         std::none_of(rule.unless.begin(), rule.unless.end(), holds);
}

bool RemedyBook::offer(const std::string& id, const std::vector<Address>& gpus, const std::vector<Address>& ports,
                       const Evaluator& evaluator) {
  const auto& rule = rules_.remedy(id);
  std::vector<Address> fitting;
  for (const auto& gpu : gpus) {
    if (applies(rule, gpu, evaluator)) fitting.push_back(gpu);
  }
  if (fitting.empty() && !(gpus.empty() && applies(rule, evaluator))) return false;
  auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.rule == &rule; });
  if (entry == entries_.end()) entry = entries_.insert(entries_.end(), Entry{&rule, {}, {}});
  for (const auto& gpu : fitting) add_once(entry->gpus, gpu);
  for (const auto& port : ports) add_once(entry->ports, port);
  return true;
}

std::vector<Remedy> RemedyBook::take() const {
  std::vector<Remedy> remedies;
  for (const auto& rule : rules_.rules().remedies) {
    const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.rule == &rule; });
    if (entry == entries_.end()) continue;
    const Fill values = {{"gpu", entry->gpus.empty() ? "the GPU" : list_of(entry->gpus)},
                         {"hop", entry->ports.empty() ? "a port on the way" : list_of(entry->ports)}};
    remedies.push_back({rule.id, fill(rule.text, values), rule.changes, rule.cost, rule.risk});
  }
  return remedies;
}

}  // namespace gpucoop
