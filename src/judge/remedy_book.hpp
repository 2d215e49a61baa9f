#pragma once

#include <string>
#include <vector>

#include "judge/evaluator.hpp"
#include "model/report.hpp"

namespace gpucoop {

/// Gathers the remedies of all verdicts: each once, with every GPU and port that it concerns.
class RemedyBook {
 public:
  explicit RemedyBook(const RuleIndex& rules) : rules_(rules) {}

  /// Takes the remedy for those of `gpus` for which it applies. False where it applies for none of them.
  bool offer(const std::string& id, const std::vector<Address>& gpus, const std::vector<Address>& ports,
             const Evaluator& evaluator);
  /// In the order of the rules.
  [[nodiscard]] std::vector<Remedy> take() const;

 private:
  struct Entry {
    const RemedyRule* rule = nullptr;
    std::vector<Address> gpus;
    std::vector<Address> ports;
  };
  const RuleIndex& rules_;
  std::vector<Entry> entries_;
};

/// Whether `gpu` fits the remedy's `when` and `unless`. A fact of a pair counts where it is true for any pair of it.
[[nodiscard]] bool applies(const RemedyRule& rule, const Address& gpu, const Evaluator& evaluator);
/// The same for a remedy that is about no GPU in particular: only facts of the host and the set count.
[[nodiscard]] bool applies(const RemedyRule& rule, const Evaluator& evaluator);

}  // namespace gpucoop
