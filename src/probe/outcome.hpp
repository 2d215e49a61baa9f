#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/probe.hpp"
#include "probe/plan.hpp"
#include "probe/team.hpp"
#include "rules/rules.hpp"

// What steps of the ladder mean. Pure: nothing is read, run or timed here.
namespace gpucoop::probe {

/// What all runs of a probe have in common, and what one of them was changed by.
struct Context {
  std::string backend;
  std::string variant;  ///< the settings of a second try: `NCCL_PROTO=Simple`; empty: none
  bool simulated = false;
};

/// What the ways between GPUs can carry at best, in GB/s of one direction. What is not there is not known, and nothing
/// is held against it.
struct Ceilings {
  std::map<Address, double> host;                      ///< GPU and host memory
  std::map<std::pair<Address, Address>, double> pair;  ///< the lower address first
};

/// A step that was run or skipped, and what came of it.
struct Trace {
  Planned planned;
  ProbeRun run;
  std::vector<wire::StepResult> results;
};

/// How a step ended, in words that a person understands. A crash says more than the time-outs that it brings upon the
/// others, and a time-out more than what the ranks say that did answer.
[[nodiscard]] ProbeRun run_of(const Planned& planned, const StepEnd& end, const Context& context);
/// A step that was not run. `reason` must not be empty.
[[nodiscard]] ProbeRun skipped_run(const Planned& planned, std::string reason, const Context& context);
/// Ranks that did not even start.
[[nodiscard]] ProbeRun not_started_run(const Planned& planned, const StepEnd& how, const std::string& why,
                                       const Context& context);

/// A rate above 1.05 × what the way can carry is no measurement: the run becomes `invalid`.
void hold_against(const Ceilings& ceilings, ProbeRun& run, const Planned& planned);

/// The rung has shown what it is there to show for these GPUs: every step of it that counts has passed, and no answer
/// says no.
[[nodiscard]] bool has_passed(const std::vector<Trace>& traces, const std::string& rung,
                              const std::vector<Address>& gpus);

/// What the steps establish. A fact is true where every step that counts has passed, false where one failed, crashed,
/// hung or gave wrong data, and unknown (not among them) where nothing of that happened and one was skipped, refused,
/// invalid or inconclusive. What a driver answered is `queried`. Variants speak only through `ccl.with_setting` and
/// `ccl.works_with`, which are not made here. Writes into each run which facts it established.
[[nodiscard]] std::vector<Fact> facts_of(std::vector<Trace>& traces, const Rules& rules);

/// Why a step was not run that would have been: no time was left.
constexpr const char* kBudgetReason = "budget: no time was left (--budget)";

/// The exit code of a probe for its runs: 4 where one hung, 1 where one failed, crashed or gave wrong data, 3 where one
/// is invalid or inconclusive, was not reached, or nothing has passed, 2 where the only thing that failed is direct
/// access that the driver refuses; 0 otherwise. Variants do not count.
[[nodiscard]] ExitCode exit_code_of(const std::vector<ProbeRun>& runs);

/// `rank 1 (host:1)`, `rank 0 (0b:00.0)`.
[[nodiscard]] std::string rank_in_words(const Planned& planned, unsigned rank);

}  // namespace gpucoop::probe
