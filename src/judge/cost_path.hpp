#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judge/cost_traffic.hpp"
#include "judge/fact_index.hpp"
#include "model/cost.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// GPUs that are looked at together. Refers to facts and rules, which must outlive it.
struct CostSet {
  const std::vector<Fact>& facts;
  const FactIndex& index;
  const Rules& rules;
  std::vector<Address> gpus;
  std::string vendor;  ///< of all of them, or empty
};

/// A term of the time of an operation, and what it was taken from.
struct CostTerm {
  Known<double> value;
  CostBasis basis = CostBasis::typical;
  std::string from;
  std::string source = {};    ///< who published it
  std::string observed = {};  ///< what the stack came to in whole decode steps, where somebody published it
};

/// A known number of a fact about the GPU, or why it is not known.
[[nodiscard]] Known<double> number_fact(const FactIndex& index, std::string_view id, const Focus& of);

/// Microseconds of a small operation: measured, else typical of the vendor's stack and the kind of link.
[[nodiscard]] CostTerm latency_of(const CostSet& set, std::string_view mode);

/// GB/s of a large operation: measured, else the least of what the links can carry at best. GPUs that share a link
/// share its rate, unless they pass data to each other below it.
[[nodiscard]] CostTerm rate_of(const CostSet& set, std::string_view mode, TrafficPattern pattern);

}  // namespace gpucoop
