#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "judge/cost_shape.hpp"
#include "model/cost.hpp"
#include "model/report.hpp"

namespace CLI {
class App;
}

namespace gpucoop {

/// `--model`, `--batch`, `--prompt`: what the cost of sharing is estimated for. Nothing without a model.
struct CostOptions {
  std::string model;
  std::optional<unsigned> batch;
  std::optional<unsigned> prompt;
};
void add_cost_options(CLI::App& command, CostOptions& options);

/// What the options name; nullopt where no model is named. Names that do not exist and options that need a model are
/// `usage` errors.
[[nodiscard]] Result<std::optional<Workload>> workload_of(const CostOptions& options, const Rules& rules);

/// The estimates for every set of the report that was judged.
[[nodiscard]] std::vector<CostEstimate> estimates(const Report& report, const Rules& rules, const Workload& work);

}  // namespace gpucoop
