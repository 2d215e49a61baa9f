#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "probe/hang.hpp"
#include "probe/privilege.hpp"
#include "wire/board.hpp"
#include "wire/step.hpp"

namespace gpucoop::probe {

/// How long a step may take.
struct StepTime {
  StepTime(std::chrono::milliseconds limit) : deadline(limit) {}  // NOLINT(google-explicit-constructor)
  StepTime(std::chrono::milliseconds limit, std::chrono::milliseconds still) : deadline(limit), standstill(still) {}
  std::chrono::milliseconds deadline;
  /// Of a step that goes on for long: it is over when no rank has got on for so long. 0: only the deadline counts.
  std::chrono::milliseconds standstill{0};
};

/// How ranks are started.
struct TeamSetup {
  std::string executable;              ///< gpucoop-rank, an absolute path
  std::string backend;                 ///< `host`, `cuda`, …
  std::vector<std::string> devices;    ///< one rank each
  std::vector<std::string> arguments;  ///< further ones for all ranks: `--inject …`, `--library …`
  std::vector<std::pair<std::string, std::string>> environment;  ///< set on top of what is inherited; hygiene included
  std::vector<std::string> unset;
  std::uint64_t arena_bytes = 0;
  std::chrono::milliseconds start_deadline{30000};
  /// With which rights ranks run; none: what `current_privilege` gives. What this takes out of the environment,
  /// `rank_environment` (probe/privilege.hpp) tells.
  std::optional<Privilege> privilege = {};
};

/// How a rank ended, or what it was found doing.
struct RankEnd {
  unsigned rank = 0;
  enum class How : std::uint8_t {
    alive,      ///< still there, and in order
    missing,    ///< it could not be started
    exited,     ///< by itself
    signalled,  ///< killed by a signal that we did not send: a crash
    killed,     ///< by us, because the step had not come to its end
    unkillable  ///< state D: reported, not killed
  };
  How how = How::alive;
  int code = 0;  ///< exit status or signal
  std::int32_t pid = 0;
  char state = '?';                ///< of /proc/PID/stat when the deadline passed: R spinning, S waiting, D, T stopped
  std::string wchan;               ///< where in the kernel, if it can be read
  bool garbage = false;            ///< its channel brought something else than results of this step
  std::string output;              ///< the end of its standard output and error, at most 16 KiB
  std::uint64_t output_bytes = 0;  ///< all that it wrote
};

/// What came of a step.
struct StepEnd {
  std::vector<wire::StepResult> results;  ///< of those ranks that answered, in the order of Step::ranks
  std::vector<RankEnd> ranks;             ///< of every rank in the step
  bool timed_out = false;
  bool stood_still = false;  ///< and that before the deadline: with `timed_out`
  /// A rank had failed or gone, and the others, which did not come to their end without it, were ended early.
  bool cut_short = false;
  bool interrupted = false;  ///< `tick` gave false, or a signal came (probe/interrupt.hpp)
  bool garbage = false;      ///< something else than results of this step came through a rank's channel
  Hang hang = Hang::none;    ///< what the ranks that did not answer were found doing
  std::string where_stuck;   ///< of the same: which rank waits in which communicator at which round
  std::string others;        ///< with `cut_short`: what they did: `rank 1 waits in set (ranks 0, 1) at round 3`
  std::string trouble;       ///< where ranks could not be looked after: what happened to their keeper. Empty: nothing
  double seconds = 0;
};

/// Rank processes under a keeper: a subreaper of its own that starts them, reports how they end, and leaves none
/// behind, even where this process is killed. Ranks live until one of them does not answer; then the whole team is
/// ended (TERM, KILL, and what is in state D is reported, not waited for). An answer other than `passed` ends nothing
/// by itself; but where a rank has failed, refused, found wrong data or gone, the others are not waited for until the
/// deadline: 1.5 s after that, or after they last got on, they are ended.
/// This process takes in orphans of its ranks meanwhile (PR_SET_CHILD_SUBREAPER). It must have one thread only.
class Team {
 public:
  /// Starts the ranks and waits until each has said that it is ready (its device opened). Where one does not, all are
  /// ended, and `how` tells what happened: as for a step 0. `hung` after the deadline, `interrupted` after a signal,
  /// `no` where a rank says or shows that it cannot, `internal` where there can be no ranks at all.
  static Result<std::unique_ptr<Team>> start(const TeamSetup& setup, StepEnd& how,
                                             const std::function<bool()>& tick = {});
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  virtual ~Team() = default;

  /// Runs a step. Returns within its deadline and 5 seconds, whatever ranks do. `tick` is called every 100 ms or so,
  /// for progress; where it returns false the step is ended (Ctrl-C).
  virtual StepEnd run(const wire::Step& step, const StepTime& time, const std::function<bool()>& tick) = 0;
  /// No rank has failed: another step can be run.
  [[nodiscard]] virtual bool usable() const = 0;
  /// The numbers of the ranks' processes, also of those that have ended: what they hold of a GPU is held by this probe.
  [[nodiscard]] virtual std::vector<std::int32_t> processes() const { return {}; }
  /// Ends all ranks; who could not be ended is told. Bounded by 5 s. Also done by the destructor.
  virtual std::vector<RankEnd> end() = 0;
};

}  // namespace gpucoop::probe
