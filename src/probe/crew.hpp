#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "probe/cgroup.hpp"
#include "probe/keeper.hpp"
#include "probe/rank_link.hpp"
#include "probe/team.hpp"

namespace gpucoop::probe {

/// One rank as the supervisor sees it.
struct CrewRank {
  RankLink link;
  pid_t pid = 0;                ///< 0: not heard of yet
  std::optional<int> status;    ///< once it has ended: as of waitpid
  bool ended_by_us = false;     ///< it ended after the team was told to
  std::optional<int> no_start;  ///< the error that kept it from being started
  std::optional<KeeperMessage> stuck;

  [[nodiscard]] bool gone() const { return status.has_value() || no_start.has_value(); }
  /// It will say nothing any more.
  [[nodiscard]] bool lost() const { return gone() || link.garbage() || link.channel() < 0; }
};

/// The processes of a team: the keeper and through it the ranks. Knows nothing of steps.
class Crew {
 public:
  using Clock = std::chrono::steady_clock;

  static Result<std::unique_ptr<Crew>> start(const TeamSetup& setup, int board);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  [[nodiscard]] std::vector<CrewRank>& ranks() { return ranks_; }
  [[nodiscard]] const std::vector<CrewRank>& ranks() const { return ranks_; }
  /// Waits until something comes, at most until `until`, and takes it in.
  void turn(Clock::time_point until);
  /// Ends all. `politely`: ranks may end by themselves first. Bounded by 4.9 s and 4.2 s.
  void end(bool politely);
  [[nodiscard]] bool ended() const { return ended_; }
  /// The keeper has gone, or has ended the ranks, without being told to.
  [[nodiscard]] bool keeper_lost() const { return keeper_lost_; }
  [[nodiscard]] RankEnd describe(unsigned rank) const;

 private:
  Crew() = default;
  void take_messages();
  void take(const KeeperMessage& message);
  void end_keeper();
  /// Gives those that are still there.
  [[nodiscard]] std::vector<std::int32_t> kill_orphans();

  std::vector<CrewRank> ranks_;
  Descriptor control_;
  pid_t keeper_ = -1;
  std::unique_ptr<Cgroup> cgroup_;
  int subreaper_before_ = 0;
  std::vector<std::int32_t> children_before_;  ///< of this process: none of ours
  bool ending_ = false;
  bool finished_ = false;  ///< the keeper has said so
  bool ended_ = false;
  bool keeper_lost_ = false;
};

}  // namespace gpucoop::probe
