#include "probe/variant_rates.hpp"

#include <algorithm>

#include "probe/variants.hpp"

namespace gpucoop::probe {
namespace {

/// Over TCP an all-reduce of 128 MiB takes a tenth of a second, and it is done a hundred times.
constexpr std::uint64_t kMost = std::uint64_t{32} << 20U;

const Trace* passed_rates(const std::vector<Trace>& traces) {
  const auto found = std::find_if(traces.begin(), traces.end(), [](const Trace& trace) {
    return trace.planned.rung->id == "ccl.latency" && trace.run.variant.empty() &&
           trace.run.state == ProbeState::passed;
  });
  return found == traces.end() ? nullptr : &*found;
}

}  // namespace

void time_variants(const RunSetup& setup, const Rules& rules, Attempts& attempts) {
  const auto* const usual = passed_rates(attempts.traces());
  if (!setup.wish.wide || setup.wish.backend == "host" || usual == nullptr) return;
  auto again = usual->planned;
  auto& sizes = again.step.sizes;
  sizes.erase(std::remove_if(sizes.begin(), sizes.end(), [](std::uint64_t size) { return size > kMost; }), sizes.end());
  const auto library = usual->run.library_name;
  for (const auto* variant : variants_for(rules, library)) {
    if (variant->control) continue;
    if (attempts.over()) return;
    again.step.id = attempts.new_ids();
    auto context = attempts.usual();
    context.variant = settings_in_words(*variant);
    if (!attempts.in_budget()) {
      attempts.skip(again, kBudgetReason, context);
      continue;
    }
    attempts.end_team();
    auto trace = attempts.run(again, context, with_settings(setup.team, *variant));
    attempts.forgive_start();
    attempts.keep(std::move(trace));
  }
  attempts.end_team();
}

}  // namespace gpucoop::probe
