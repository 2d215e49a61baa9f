#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "wire/board.hpp"
#include "wire/step.hpp"

namespace gpucoop::probe {

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
};

/// How a rank ended, or what it was found doing.
struct RankEnd {
  unsigned rank = 0;
  enum class How : std::uint8_t {
    alive,      ///< still there, and in order
    exited,     ///< by itself
    signalled,  ///< killed by a signal that we did not send: a crash
    killed,     ///< by us, after the deadline
    unkillable  ///< state D: reported, not killed
  };
  How how = How::alive;
  int code = 0;  ///< exit status or signal
  std::int32_t pid = 0;
  char state = '?';                ///< of /proc/PID/stat when the deadline passed: R spinning, S waiting, D, T stopped
  std::string wchan;               ///< where in the kernel, if it can be read
  std::string output;              ///< the end of its standard output and error, at most 16 KiB
  std::uint64_t output_bytes = 0;  ///< all that it wrote
};

/// What came of a step.
struct StepEnd {
  std::vector<wire::StepResult> results;  ///< of those ranks that answered, in the order of Step::ranks
  std::vector<RankEnd> ranks;             ///< of every rank in the step
  bool timed_out = false;
  bool garbage = false;     ///< something else than frames came through a rank's channel
  std::string where_stuck;  ///< after a time-out: which rank waits in which communicator at which round
  double seconds = 0;
};

/// Rank processes under a keeper: a subreaper of its own that starts them, reports how they end, and leaves none
/// behind, even where this process is killed. Ranks live until a step fails; then the whole team is ended (TERM, KILL,
/// and what is in state D is reported, not waited for).
class Team {
 public:
  /// Starts the ranks and waits until each has said that it is ready (its device opened).
  static Result<std::unique_ptr<Team>> start(const TeamSetup& setup, StepEnd& how);
  virtual ~Team() = default;

  /// Runs a step. Returns within `deadline` and 5 seconds, whatever ranks do. `tick` is called every 100 ms or so, for
  /// progress; where it returns false the step is ended (Ctrl-C).
  virtual StepEnd run(const wire::Step& step, std::chrono::milliseconds deadline,
                      const std::function<bool()>& tick) = 0;
  /// No rank has failed: another step can be run.
  [[nodiscard]] virtual bool usable() const = 0;
  /// Ends all ranks; who could not be ended is told. Bounded by 5 s. Also done by the destructor.
  virtual std::vector<RankEnd> end() = 0;
};

}  // namespace gpucoop::probe
