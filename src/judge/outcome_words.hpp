#pragma once

#include <string>
#include <vector>

#include "judge/evaluator.hpp"
#include "judge/sets.hpp"

// An outcome in one plain sentence that names the GPU, the port and what it means.
namespace gpucoop {

/// Why a requirement is false. `expected`: it is only expected to be, which is said.
[[nodiscard]] std::string failure_words(const Outcome& outcome, const Evaluator& evaluator,
                                        const std::vector<LeftOut>& left_out, bool expected);
/// What is not known, and why.
[[nodiscard]] std::string unknown_words(const Outcome& outcome, const Evaluator& evaluator,
                                        const std::vector<LeftOut>& left_out);
/// What speaks for a mode that no probe has shown, and what is missing.
[[nodiscard]] std::string promise_words(const Outcome& outcome, const std::string& unproven,
                                        const Evaluator& evaluator);

/// The GPUs that an outcome's leaves are about, each once; none where only the set or the host is.
[[nodiscard]] std::vector<Address> gpus_of(const Outcome& outcome);
/// The ports that decided the leaves' facts, each once.
[[nodiscard]] std::vector<Address> ports_of(const Outcome& outcome);

}  // namespace gpucoop
