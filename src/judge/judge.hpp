#pragma once

#include <optional>
#include <vector>

#include "model/report.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

struct JudgeOptions {
  /// The one set to judge, whatever its GPUs are; else the sets are chosen (`select_sets`). Each must be a GPU that
  /// the facts are about, none twice.
  std::optional<std::vector<Address>> gpus;
};

/// Sets, modes, engines and remedies from facts and rules alone, in three-valued logic. Pure.
[[nodiscard]] Judgement judge(const std::vector<Fact>& facts, const Rules& rules, const JudgeOptions& options = {});

}  // namespace gpucoop
