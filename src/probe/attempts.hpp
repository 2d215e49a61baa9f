#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "probe/outcome.hpp"
#include "probe/run.hpp"

namespace gpucoop::probe {

/// The run has ended otherwise than it should, which is something else than a refusal.
[[nodiscard]] bool is_failure(ProbeState state);

/// Runs steps one after the other, each by the ranks of a team that lives until something fails, and keeps what came of
/// them. Knows nothing of the order of steps.
class Attempts {
 public:
  Attempts(const RunSetup& setup, const Rules& rules, const Surroundings& surroundings);

  /// Runs a step with the team of now, or with a fresh one by `team` where that is not usable. What came of it is not
  /// kept yet.
  [[nodiscard]] Trace run(const Planned& planned, const Context& context, const TeamSetup& team);
  void keep(Trace trace);
  void skip(const Planned& planned, const std::string& why, const Context& context);
  /// Lets the ranks go; the next step is that of fresh ones.
  void end_team();
  /// The guard, before each rung: false where nothing may be run any more.
  [[nodiscard]] bool guarded(const Planned& planned);

  /// No further step is to be run.
  [[nodiscard]] bool over() const { return interrupted_ || !given_up_.empty(); }
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  /// Why nothing more is tried; empty: it is.
  [[nodiscard]] const std::string& given_up() const { return given_up_; }
  void give_up(std::string why) { given_up_ = std::move(why); }
  /// That ranks did not start is no reason to give up where they were others than usual.
  void forgive_start();
  [[nodiscard]] const Status& stopped() const { return stopped_; }
  [[nodiscard]] bool in_budget() const;

  [[nodiscard]] std::vector<Trace>& traces() { return traces_; }
  [[nodiscard]] const std::vector<Trace>& traces() const { return traces_; }
  /// Of steps that are run without second thoughts.
  [[nodiscard]] const Context& usual() const { return usual_; }
  /// Numbers of steps that nobody has yet: so many, from the one that is given.
  [[nodiscard]] std::uint32_t new_ids(std::size_t count = 1);
  /// For whoever shows how far it is.
  void at(std::size_t number, std::size_t total);

 private:
  using Look = std::function<bool()>;

  [[nodiscard]] bool tick(const Planned& planned, const std::string& variant,
                          std::chrono::steady_clock::time_point since);
  [[nodiscard]] ProbeRun run_now(const Planned& planned, const Context& context, const TeamSetup& setup, StepEnd& end,
                                 const Look& look);
  /// Waits until the driver has let go of the ranks that have ended. What it says of that is added to `findings`.
  [[nodiscard]] bool released(const Look& look, std::vector<std::string>& findings);
  void explain(const Planned& planned, const StepEnd& end, ProbeRun& run);
  void end_failed_team(ProbeRun& run);

  const RunSetup& setup_;
  const Rules& rules_;
  const Surroundings& out_;
  std::chrono::steady_clock::time_point begin_;
  Context usual_;
  std::vector<Trace> traces_;
  std::unique_ptr<Team> team_;
  std::vector<std::int32_t> ended_;  ///< ranks of earlier teams that the driver may not have let go yet
  std::string given_up_;
  bool interrupted_ = false;
  Status stopped_;
  const Rung* guarded_ = nullptr;
  std::size_t number_ = 0;
  std::size_t total_ = 0;
  std::uint32_t next_id_ = 1;
};

}  // namespace gpucoop::probe
