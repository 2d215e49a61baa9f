#pragma once

#include <string>
#include <vector>

#include "judge/rule_index.hpp"

// Requirements in words, for somebody who does not read rules files.
namespace gpucoop {

/// `each GPU: PCIe AtomicOps work between this GPU and the CPU (atomics.state), or …; AMD only`.
[[nodiscard]] std::string clause_words(const Clause& clause, const RuleIndex& rules);

/// What one fact of this kind is about and what it can say: `each GPU; yes or no; read (static)`.
[[nodiscard]] std::string about_words(const FactRule& rule);

/// What is expected while nobody has established the fact; empty where nothing is.
[[nodiscard]] std::string expectation_words(const FactRule& rule, const RuleIndex& rules);

}  // namespace gpucoop
