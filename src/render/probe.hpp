#pragma once

#include <string>
#include <vector>

#include "model/report.hpp"
#include "render/render.hpp"

namespace gpucoop {

/// What `gpucoop probe` prints for people: rung by rung what was tried and what came of it, and then what that means
/// for working together. `injected`: the faults that were injected, which are named first.
[[nodiscard]] std::string render_probe_text(const Report& report, const std::vector<std::string>& injected,
                                            const TextOptions& options);

/// The answer alone: one line of any length with a final newline.
[[nodiscard]] std::string render_probe_line(const Report& report, const std::vector<std::string>& injected);

/// One line of a plan: what would be tried.
struct PlanLine {
  std::string rung;
  std::string who;       ///< `each of 4`, `12 pairs`, `all 4`
  std::string what;      ///< `all_reduce float32 sum`
  std::string sizes;     ///< `4 B to 64 MiB`; empty: none
  std::string deadline;  ///< `30 s`
  std::string skip;      ///< why not; empty: it would
};
/// The plan of a probe for people. `limits`: a sentence about its bounds.
[[nodiscard]] std::string render_plan_text(const std::vector<PlanLine>& plan, const std::string& devices,
                                           const std::string& limits, const TextOptions& options);

}  // namespace gpucoop
