#include "judge/outcome_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "judge/words.hpp"

namespace gpucoop {

namespace {

std::string left_out_words(const std::vector<LeftOut>& left_out) {
  std::vector<std::string> texts;
  for (const auto& left : left_out) {
    if (left.worth_saying) texts.push_back(short_form(left.gpu) + " " + left.why);
  }
  return texts.empty() ? std::string() : " (left out: " + list_of(texts) + ")";
}

/// `a and b`, or `a to b` where only one direction is meant; more pairs are counted.
std::string pair_words(const Outcome& outcome) {
  std::vector<std::pair<Address, Address>> pairs;
  bool both = false;
  for (const auto& leaf : outcome.leaves) {
    if (leaf.focus.size != 2) continue;
    const auto& a = leaf.focus.of[0];
    const auto& b = leaf.focus.of[1];
    const std::pair<Address, Address> there{a, b};
    const std::pair<Address, Address> back{b, a};
    if (std::find(pairs.begin(), pairs.end(), back) != pairs.end()) {
      both = both || pairs.front() == back;
      continue;
    }
    add_once(pairs, there);
  }
  if (pairs.empty()) return "the GPUs";
  auto text = short_form(pairs.front().first) + (both ? " and " : " to ") + short_form(pairs.front().second);
  if (pairs.size() > 1) {
    text += fmt::format(" and {} more pair{}", pairs.size() - 1, pairs.size() == 2 ? "" : "s");
  }
  return text;
}

/// The value that decided: the smallest of numbers, else the first.
std::string deciding_value(const Outcome& outcome) {
  const FactValue* chosen = nullptr;
  for (const auto& leaf : outcome.leaves) {
    if (leaf.fact == nullptr || !leaf.fact->value.is_known()) continue;
    const auto& value = leaf.fact->value.value();
    if (chosen == nullptr || (std::holds_alternative<double>(value) && value < *chosen)) chosen = &value;
  }
  return chosen == nullptr ? "?" : value_words(*chosen);
}

std::string driver_words(const Outcome& outcome, const Evaluator& evaluator) {
  const auto gpus = gpus_of(outcome);
  const auto* driver = gpus.empty() || !evaluator.rules().has_fact("gpu.driver")
                           ? nullptr
                           : evaluator.fact(evaluator.rules().fact("gpu.driver"), focus_on(gpus.front()));
  if (driver == nullptr || driver->value.is_unknown()) return "driver not known";
  return driver->value.is_absent() ? "none is bound" : value_words(driver->value.value());
}

Fill values_of(const Outcome& outcome, const Evaluator& evaluator, const std::vector<LeftOut>& left_out) {
  const auto gpus = gpus_of(outcome);
  const auto ports = ports_of(outcome);
  return {
      {"gpu", list_of(gpus.empty() ? evaluator.set() : gpus)},
      {"hop", ports.empty() ? "a port on the way" : list_of(ports)},
      {"blocked", ports.empty() ? "the driver reports it; no port was seen to block" : "blocked at " + list_of(ports)},
      {"pair", pair_words(outcome)},
      {"value", deciding_value(outcome)},
      {"driver", driver_words(outcome, evaluator)},
      {"how_many", how_many(evaluator.set())},
      {"left_out", left_out_words(left_out)}};
}

}  // namespace

std::vector<Address> gpus_of(const Outcome& outcome) {
  std::vector<Address> gpus;
  // A GPU's own fact says which GPU it is; a pair only where there is nothing more exact.
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}}) {
    for (const auto& leaf : outcome.leaves) {
      if (leaf.focus.size != size) continue;
      for (const auto& gpu : leaf.focus) add_once(gpus, gpu);
    }
    if (!gpus.empty()) break;
  }
  return gpus;
}

std::vector<Address> ports_of(const Outcome& outcome) {
  std::vector<Address> ports;
  for (const auto& leaf : outcome.leaves) {
    if (leaf.fact == nullptr) continue;
    for (const auto& port : leaf.fact->at) add_once(ports, port);
  }
  return ports;
}

std::string failure_words(const Outcome& outcome, const Evaluator& evaluator, const std::vector<LeftOut>& left_out,
                          bool expected) {
  const auto values = values_of(outcome, evaluator, left_out);
  auto text = fill(outcome.clause->why, values);
  if (expected && !outcome.clause->open.empty()) text += ", " + fill(outcome.clause->open, values);
  return text;
}

std::string unknown_words(const Outcome& outcome, const Evaluator& evaluator, const std::vector<LeftOut>& left_out) {
  const auto& leaf = outcome.leaves.front();
  if (leaf.floored) {
    return how_many(evaluator.set()) + (evaluator.set().size() > 1 ? " were" : " was") +
           " found that can be used, and not every device of the host may have been listed" + left_out_words(left_out);
  }
  Outcome same;  // of several unknown facts the first is named, for every GPU that it is unknown for
  for (const auto& other : outcome.leaves) {
    if (other.rule == leaf.rule) same.leaves.push_back(other);
  }
  const auto gpus = gpus_of(same);
  const auto reason = leaf.fact != nullptr && leaf.fact->value.is_unknown() ? leaf.fact->value.reason()
                      : leaf.rule->tier == Tier::static_                    ? Reason::not_in_input
                                                                            : Reason::not_probed;
  return fmt::format("not known{}: {}{} ({})", gpus.empty() ? "" : " for " + list_of(gpus),
                     leaf.rule->type == FactType::boolean ? "whether " : "", inside_sentence(leaf.rule->title),
                     reason_words(reason));
}

std::string promise_words(const Outcome& outcome, const std::string& unproven, const Evaluator& evaluator) {
  std::vector<const std::string*> templates;
  for (const auto& leaf : outcome.leaves) {
    if (!leaf.condition->holds.empty()) add_once(templates, &leaf.condition->holds);
  }
  std::string text;
  for (const auto* one : templates) {
    Outcome same;
    for (const auto& leaf : outcome.leaves) {
      if (&leaf.condition->holds == one) same.leaves.push_back(leaf);
    }
    text += (text.empty() ? "" : "; ") + fill(*one, values_of(same, evaluator, {}));
  }
  if (text.empty()) text = "nothing that was read stands against it";
  return text + "; but " + unproven;
}

}  // namespace gpucoop
