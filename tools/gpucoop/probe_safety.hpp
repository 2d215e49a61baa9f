#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/warning.hpp"
#include "probe/guard.hpp"
#include "probe/journal.hpp"
#include "probe/lock.hpp"
#include "probe/plan.hpp"
#include "probe_options.hpp"
#include "probe_target.hpp"
#include "wire/nvml.hpp"

namespace gpucoop {

/// What keeps a probe from hurting others: who else uses the GPUs is looked at again and again, no other probe may use
/// them meanwhile, and each step is written down before it begins.
class ProbeSafety {
 public:
  /// Locks the GPUs and opens the journal. Simulated devices are nobody else's: they need no lock, and where no journal
  /// can be kept of them that is only told.
  /// `rank_program`: what asks NVIDIA's driver, where /proc does not show all processes.
  static Result<ProbeSafety> begin(const ProbeTarget& target, const ProbeOptions& options,
                                   const std::string& rank_program);

  /// Whether the GPUs may be used now: `busy` where not. Reads the host anew.
  [[nodiscard]] Status check(const Rules& rules);
  /// Notes what NVIDIA's driver says that explains these runs: why it refuses peers, MIG, the fabric.
  void look_at_driver(const std::vector<ProbeRun>& runs, const Rules& rules);
  [[nodiscard]] Status begins(const probe::Planned& planned);
  void ended(const ProbeRun& run);
  /// What a report has to say of it: what an earlier probe left open, what was overridden.
  [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }
  /// What an earlier probe left open has been told.
  void told();

 private:
  ProbeSafety(const ProbeTarget& target, const ProbeOptions& options, std::string rank_program)
      : target_(&target), options_(&options), rank_program_(std::move(rank_program)) {}

  void take_lists(const std::vector<Address>& listed, probe::GuardQuestion& question);
  void ask_driver(const Rules& rules, probe::GuardQuestion& question);
  [[nodiscard]] const Result<wire::NvmlState>& nvml(bool anew);

  const ProbeTarget* target_;
  const ProbeOptions* options_;
  std::string rank_program_;
  std::vector<std::int32_t> ranks_;  ///< of this probe so far, also those that have ended
  std::optional<Result<wire::NvmlState>> nvml_;
  std::chrono::steady_clock::time_point asked_;
  std::chrono::steady_clock::time_point checked_;  ///< when the guard last let the probe go on
  std::vector<Address> proven_;                    ///< by the driver, at some time since the probe began
  std::optional<probe::DeviceLocks> locks_;
  std::optional<probe::Journal> journal_;
  probe::JournalReading left_open_;
  std::string entry_;  ///< the open one
  std::vector<Warning> warnings_;
};

/// What probes of this user left open that a person has not been told of, of real GPUs: for `topo`.
[[nodiscard]] std::vector<Warning> unfinished_probes();

}  // namespace gpucoop
