#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "judge/set_facts.hpp"
#include "judge/verdict.hpp"
#include "model/report.hpp"

namespace gpucoop {

/// The largest part of `set`, of two GPUs or more, for which the question stands, or is expected to, although it does
/// not for all of them. Looked for by leaving out the GPUs that the failures are about, one round after the other, and
/// among the parts that a probe has tried (`tried`). Empty where nothing is found: a failure that is about no GPU in
/// particular leaves nobody to leave out.
[[nodiscard]] std::optional<BestSubset> best_subset(const Question& question, const std::vector<Address>& set,
                                                    std::string_view vendor,
                                                    const std::vector<std::vector<Address>>& tried,
                                                    Evaluators& evaluators);

/// The proper parts of `set` that any probed fact is about.
[[nodiscard]] std::vector<std::vector<Address>> tried_parts(const std::vector<Fact>& facts,
                                                            const std::vector<Address>& set);

}  // namespace gpucoop
