#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What is run: a model and how much of it at once.
struct Workload {
  ModelRule model;         ///< its id is what reports call it
  unsigned batch = 1;      ///< sequences that are decoded together
  unsigned prompt = 2048;  ///< tokens of each sequence's prompt
};
inline constexpr unsigned kMostBatch = 65'536;
inline constexpr unsigned kMostPrompt = 10'000'000;

/// The model that a person names: a preset (`qwen3-8b`), a preset with changes (`qwen3-8b,bytes_per_weight=0.5`), or a
/// shape (`hidden=5120,layers=64,heads=64`). What a shape leaves out is 0: unknown, or a dense model. A `usage` error
/// names the nearest preset or key, or the range.
[[nodiscard]] Result<ModelRule> model_of(std::string_view text, const Rules& rules);

}  // namespace gpucoop
