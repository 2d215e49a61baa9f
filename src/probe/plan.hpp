#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "probe/groups.hpp"
#include "probe/ladder.hpp"
#include "wire/step.hpp"

namespace gpucoop::probe {

/// What is to be tried, on what.
struct Wish {
  std::vector<Address> devices;  ///< one rank each, in this order; `simulated_device`s of the host backend
  std::string backend;           ///< `host`, `cuda`, …
  std::set<Area> areas;          ///< empty: all but soak
  bool wide = false;             ///< every type and operator, every pair (`--all`)
  std::optional<Layout> layout;  ///< of the crossed groups; none: the usual one
  std::optional<std::chrono::milliseconds> timeout;  ///< of every step instead of the rung's own
  std::uint64_t most_bytes =
      0;  ///< of what one or two GPUs copy and of timed collectives, and less in groups; 0: as the rung has it
  std::chrono::seconds soak{0};  ///< how long; 0: not at all
  std::uint64_t seed = 1;
};

/// One step of the plan.
struct Planned {
  const Rung* rung = nullptr;
  wire::Step step;
  std::vector<Address> gpus;  ///< those of the step's ranks
  std::chrono::milliseconds deadline{0};
  std::chrono::milliseconds standstill{0};  ///< of a step that goes on for long: see StepTime; 0: none
  std::string skip;                         ///< why it will not be run; empty: it will, if what it needs passes
  bool counts = true;                       ///< for the rung's fact; false: only tells more about a failure
  bool on_demand = false;                   ///< only where the same rung has failed for these GPUs
};

/// The steps from the lowest rung up, ids counted from 1. Rungs that cannot be tried are there as well, with the
/// reason.
[[nodiscard]] std::vector<Planned> make_plan(const Wish& wish);

/// The steps of one rung for some of the ranks, as a second try: of a pair where the whole set failed.
[[nodiscard]] std::vector<Planned> plan_part(const Wish& wish, const Rung& rung, const std::vector<unsigned>& ranks,
                                             std::uint32_t first_id);

/// Makes a soak of it: ranks go on for this time.
void set_soak(Planned& planned, std::chrono::milliseconds time);

/// How one sync mode is called: `no wait in between`, …
[[nodiscard]] std::string in_words(wire::Sync sync);

}  // namespace gpucoop::probe
