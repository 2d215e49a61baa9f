#pragma once

#include <vector>

#include "judge/diff_match.hpp"
#include "model/diff.hpp"

namespace gpucoop {

/// What became of the modes, and of the engines' ways; the greatest change first, else in the order of the rules.
[[nodiscard]] std::vector<VerdictChange> diff_modes(const Judgement& before, const Judgement& after,
                                                    const GpuMatch& match);
[[nodiscard]] std::vector<VerdictChange> diff_engines(const Judgement& before, const Judgement& after,
                                                      const GpuMatch& match);

}  // namespace gpucoop
