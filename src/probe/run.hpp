#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "probe/outcome.hpp"
#include "probe/plan.hpp"
#include "probe/team.hpp"
#include "rules/rules.hpp"

namespace gpucoop::probe {

/// What is being done right now, for whoever shows it.
struct Now {
  const Planned* planned = nullptr;
  std::string variant;  ///< empty: none
  std::size_t number = 0;
  std::size_t total = 0;  ///< of the plan; second tries come on top
  std::chrono::milliseconds elapsed{0};
};

/// What a probe needs from outside; tests put something else in place.
struct Surroundings {
  /// Team::start, with rights and all.
  std::function<Result<std::unique_ptr<Team>>(const TeamSetup&, StepEnd&, const std::function<bool()>&)> start;
  /// Whether the GPUs may (still) be used: looked at before each rung. Empty: they may.
  std::function<Status()> guard;
  /// Writes down that a step begins, before it does, and how it ended. An error of the first stops the probe.
  std::function<Status(const Planned&, const std::string& variant)> begins;
  std::function<void(const ProbeRun&)> ended;
  /// Lines of the kernel log since the last call that the catalogue knows.
  std::function<std::vector<LogLine>()> kernel_lines;
  /// Waits until the driver has let go of ranks that have ended, before fresh ones are started; false where it has not
  /// in time, or `tick` gave false. Empty: there is nothing to wait for.
  std::function<bool(const std::vector<std::int32_t>& ended, const std::function<bool()>& tick)> released = {};
  /// Called when a step begins and about ten times a second; false: stop.
  std::function<bool(const Now&)> tick;
  /// Called with every run, skipped ones as well.
  std::function<void(const ProbeRun&)> told;
  std::function<std::chrono::steady_clock::time_point()> clock = std::chrono::steady_clock::now;
};

struct RunSetup {
  Wish wish;
  TeamSetup team;
  Ceilings ceilings;
  std::chrono::milliseconds budget{60000};
  std::vector<std::string> injected;  ///< faults, as they were asked for
};

struct RunEnd {
  std::vector<ProbeRun> runs;
  std::vector<Fact> facts;
  Status stopped;  ///< why the rest was not run: the guard, the journal
  bool interrupted = false;
};

/// Climbs the ladder: each step by the ranks of a team that lives until something fails. After a failure a fresh team
/// shows whether the GPUs can still be used; where they cannot, or where the driver does not let go of the ranks that
/// have ended, nothing more is tried. A failed collective over all
/// GPUs is tried again under variants, and over each pair.
[[nodiscard]] RunEnd climb(const RunSetup& setup, const Rules& rules, const Surroundings& surroundings);

}  // namespace gpucoop::probe
