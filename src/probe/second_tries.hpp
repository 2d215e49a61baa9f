#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "probe/attempts.hpp"

namespace gpucoop::probe {

/// What is tried when a collective over all GPUs has failed: the same with fresh ranks under other settings, and parts
/// of the whole. What it shows is told as findings of the trace that failed.
class SecondTries {
 public:
  SecondTries(const RunSetup& setup, const Rules& rules, Attempts& attempts)
      : setup_(setup), rules_(rules), attempts_(attempts) {}

  /// Under the variants that the catalogue has; of the first two rungs that ask for it.
  void variants(const Planned& planned, std::size_t at);
  /// Which pairs work where the whole set does not.
  void pairs(std::size_t at);
  /// The settings with which the all-reduce passed; empty: none.
  [[nodiscard]] const std::string& cure() const { return cure_; }

 private:
  [[nodiscard]] std::string library_name() const;
  /// The library and an all-reduce between two; what does not pass ends it.
  [[nodiscard]] ProbeState try_pair(unsigned a, unsigned b);

  const RunSetup& setup_;
  const Rules& rules_;
  Attempts& attempts_;
  std::set<std::string> tried_;
  std::string cure_;
};

}  // namespace gpucoop::probe
