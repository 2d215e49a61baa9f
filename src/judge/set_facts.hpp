#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "judge/evaluator.hpp"
#include "judge/fact_index.hpp"

namespace gpucoop {

/// What follows from a choice of GPUs alone: how many there are, whether they are of one vendor and of one model.
/// `set.gpus`, `set.one_vendor`, `set.alike`.
[[nodiscard]] std::vector<Fact> facts_of_set(const std::vector<Address>& gpus, const FactIndex& facts);

/// Evaluators for sets and parts of sets, each made once with the facts that follow from its choice of GPUs.
class Evaluators {
 public:
  /// Everything must outlive it. Facts of the sets are added to `facts`.
  Evaluators(FactIndex& facts, const RuleIndex& rules) : facts_(facts), rules_(rules) {}

  [[nodiscard]] const Evaluator& of(const std::vector<Address>& gpus, std::string_view vendor);
  /// The facts of that set, which must have been asked for.
  [[nodiscard]] const std::vector<Fact>& facts_of(const std::vector<Address>& gpus) const;

 private:
  struct Entry {
    std::vector<Address> gpus;
    std::string vendor;
    std::vector<Fact> facts;
    std::unique_ptr<Evaluator> evaluator;
  };
  FactIndex& facts_;
  const RuleIndex& rules_;
  std::map<std::vector<Address>, std::unique_ptr<Entry>> entries_;
};

}  // namespace gpucoop
