#include "probe/team.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "probe/beat_watch.hpp"
#include "probe/crew.hpp"
#include "probe/interrupt.hpp"
#include "probe/process_state.hpp"

namespace gpucoop::probe {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// After a rank has failed or gone the others may still answer for so long: they know best what they saw.
constexpr milliseconds kGrace(1500);
constexpr milliseconds kTick(100);
/// How long ranks are looked at, to tell those that work from those that are stuck.
constexpr milliseconds kLook(200);
/// A rank that got on so short before the deadline (or in the last quarter of the time) is slow, not stuck.
constexpr milliseconds kRecent(1000);

class ProcessTeam final : public Team {
 public:
  ProcessTeam(std::unique_ptr<wire::Board> board, std::unique_ptr<Crew> crew)
      : board_(std::move(board)), crew_(std::move(crew)) {}

  StepEnd run(const wire::Step& step, const StepTime& time, const std::function<bool()>& tick) override {
    if (!usable()) return described(step);
    const auto bytes = wire::encode(step);
    for (const auto rank : step.ranks) {
      if (rank >= crew_->ranks().size()) continue;
      auto& link = crew_->ranks()[rank].link;
      link.queue(bytes);
      link.expect(step.id);
    }
    return await(step, time, tick);
  }

  [[nodiscard]] bool usable() const override {
    const auto& ranks = crew_->ranks();
    return !crew_->ended() && !crew_->keeper_lost() &&
           std::none_of(ranks.begin(), ranks.end(), [](const CrewRank& rank) { return rank.lost(); });
  }

  [[nodiscard]] std::vector<std::int32_t> processes() const override {
    std::vector<std::int32_t> pids;
    for (const auto& rank : crew_->ranks()) {
      if (rank.pid > 0) pids.push_back(rank.pid);
    }
    return pids;
  }

  std::vector<RankEnd> end() override {
    crew_->end(true);
    std::vector<RankEnd> ends;
    for (unsigned rank = 0; rank < crew_->ranks().size(); ++rank) ends.push_back(crew_->describe(rank));
    return ends;
  }

  [[nodiscard]] std::vector<CrewRank>& ranks() { return crew_->ranks(); }

  /// Waits for a result of each rank in the step. Where one does not come the team is ended.
  StepEnd await(const wire::Step& step, const StepTime& time, const std::function<bool()>& tick) {
    const auto limit = time.standstill.count() > 0 ? std::min(time.deadline, time.standstill) : time.deadline;
    const auto begin = Clock::now();
    const auto deadline = begin + time.deadline;
    auto next_tick = begin;
    auto until = deadline;
    std::optional<Clock::time_point> missed;
    bool interrupted = false;
    BeatWatch beats(*board_);
    for (auto now = begin; !settled(step) && now < until && !interrupted; now = Clock::now()) {
      if (!missed && any_missed(step)) missed = now;
      // Who gets on without the rank that is missed is not kept from it.
      if (missed) until = std::min(deadline, std::max(*missed, beats.last(silent(step))) + kGrace);
      if (!missed && time.standstill.count() > 0) {
        until = std::min(deadline, std::max(begin, beats.last(step.ranks)) + time.standstill);
      }
      if (now >= next_tick) {
        next_tick = now + kTick;
        beats.look(step.ranks, now);
        interrupted = (tick && !tick()) || Interrupt::caught() != 0;
      }
      crew_->turn(std::min(until, next_tick));
    }
    const auto seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const bool complete = all_answered(step);
    const bool lost = missed || any_missed(step);
    std::vector<RankLook> looks;
    std::vector<RankLook> others;
    if (!complete) {
      const auto recent = Clock::now() - std::min(kRecent, limit / 4);
      looks = look(step, beats);
      for (auto& seen : looks) seen.moves = beats.moved_since(seen.rank, recent);
      std::copy_if(looks.begin(), looks.end(), std::back_inserter(others),
                   [&](const RankLook& seen) { return !find(seen.rank)->lost(); });
      crew_->end(false);
    }
    auto end = described(step);
    end.seconds = seconds;
    end.interrupted = interrupted && !complete;
    end.timed_out = !complete && !lost && !interrupted;
    end.stood_still = end.timed_out && until < deadline;
    end.cut_short = !complete && lost && !interrupted;
    const auto hang = describe_hang(step, looks);
    end.hang = hang.kind;
    end.where_stuck = hang.text;
    for (auto& rank : end.ranks) add_look(rank, looks);
    if (end.cut_short) end.others = doing_in_words(step, others);
    for (const auto rank : step.ranks) {
      if (rank < crew_->ranks().size()) crew_->ranks()[rank].link.forget_result();
    }
    return end;
  }

 private:
  [[nodiscard]] const CrewRank* find(unsigned rank) const {
    return rank < crew_->ranks().size() ? &crew_->ranks()[rank] : nullptr;
  }

  template <class Is>
  [[nodiscard]] bool all(const wire::Step& step, Is is) const {
    return std::all_of(step.ranks.begin(), step.ranks.end(), [&](unsigned rank) {
      const auto* const found = find(rank);
      return found != nullptr && is(*found);
    });
  }
  [[nodiscard]] bool all_answered(const wire::Step& step) const {
    return all(step, [](const CrewRank& rank) { return rank.link.result().has_value() && !rank.link.garbage(); });
  }
  /// Nothing more can come. A rank that has closed its channel is about to end: its end is waited for.
  [[nodiscard]] bool settled(const wire::Step& step) const {
    return all(step, [](const CrewRank& rank) {
      return rank.link.garbage() || rank.link.result().has_value() || (rank.gone() && rank.link.channel() < 0);
    });
  }
  [[nodiscard]] bool any_lost(const wire::Step& step) const {
    return !all(step, [](const CrewRank& rank) { return !rank.lost() || rank.link.result().has_value(); });
  }

  /// A rank without which the others cannot come to their end, or not to the one they should: lost, or out of the step
  /// because something went wrong there. One that waited in vain is not missed, but misses another one.
  [[nodiscard]] bool any_missed(const wire::Step& step) const {
    return crew_->keeper_lost() || any_lost(step) || !all(step, [](const CrewRank& rank) {
             const auto& result = rank.link.result();
             return !result || (result->state != ProbeState::failed && result->state != ProbeState::refused &&
                                result->state != ProbeState::wrong_data);
           });
  }
  [[nodiscard]] std::vector<unsigned> silent(const wire::Step& step) const {
    std::vector<unsigned> ranks;
    for (const auto rank : step.ranks) {
      const auto* const found = find(rank);
      if (found != nullptr && !found->lost() && !found->link.result()) ranks.push_back(rank);
    }
    return ranks;
  }

  [[nodiscard]] StepEnd described(const wire::Step& step) const {
    StepEnd end;
    for (const auto rank : step.ranks) {
      const auto* const found = find(rank);
      if (found == nullptr) continue;
      if (found->link.result() && !found->link.garbage()) end.results.push_back(*found->link.result());
      auto described = crew_->describe(rank);
      // It was in order; that it was ended with the others is nothing about it.
      if (found->link.result() && !described.garbage && described.how == RankEnd::How::killed) {
        described.how = RankEnd::How::alive;
        described.code = 0;
      }
      end.garbage = end.garbage || described.garbage;
      end.ranks.push_back(std::move(described));
    }
    if (crew_->keeper_lost()) end.trouble = "the process that keeps the ranks was ended or stopped from outside";
    return end;
  }

  /// What the ranks that have not answered are doing.
  [[nodiscard]] std::vector<RankLook> look(const wire::Step& step, BeatWatch& beats) {
    struct First {
      std::uint64_t ticks = 0;
      bool running = false;
    };
    std::map<unsigned, First> first;
    for (const auto rank : step.ranks) {
      const auto* const found = find(rank);
      if (found == nullptr || found->link.result() || found->gone() || found->pid == 0) continue;
      const auto state = process_state(found->pid);
      first[rank] = {state ? state->ticks : 0, state && state->state == 'R'};
    }
    const auto until = Clock::now() + (first.empty() ? milliseconds(0) : kLook);
    beats.look(step.ranks, Clock::now());
    while (Clock::now() < until) crew_->turn(until);
    beats.look(step.ranks, Clock::now());
    std::vector<RankLook> looks;
    for (const auto rank : step.ranks) {
      const auto* const found = find(rank);
      if (found == nullptr) continue;
      auto seen = progress_of(rank);
      seen.answered = found->link.result().has_value();
      seen.gone = found->gone();
      if (const auto before = first.find(rank); before != first.end()) {
        const auto state = process_state(found->pid);
        seen.gone = seen.gone || !state || state->state == 'Z';
        if (state) seen.state = state->state;
        // State R at one look is chance; at two, or with time spent, it is not.
        constexpr std::uint64_t kMany = 2;
        seen.uses_processor =
            state && (state->ticks >= before->second.ticks + kMany || (state->state == 'R' && before->second.running));
        seen.wchan = kernel_place(found->pid);
      }
      looks.push_back(std::move(seen));
    }
    return looks;
  }

  [[nodiscard]] RankLook progress_of(unsigned rank) {
    const auto& progress = board_->progress(rank);
    constexpr auto kNow = std::memory_order_relaxed;
    RankLook seen;
    seen.rank = rank;
    seen.step = progress.step.load(kNow);
    const auto doing = progress.doing.load(kNow);
    if (doing <= static_cast<std::uint32_t>(wire::Progress::Doing::done)) {
      seen.doing = static_cast<wire::Progress::Doing>(doing);
    }
    seen.group = progress.group.load(kNow);
    seen.round = progress.round.load(kNow);
    seen.op = progress.op.load(kNow);
    return seen;
  }

  static void add_look(RankEnd& rank, const std::vector<RankLook>& looks) {
    const auto found =
        std::find_if(looks.begin(), looks.end(), [&](const RankLook& look) { return look.rank == rank.rank; });
    // What it was doing once KILL had not ended it says more than what it did before.
    if (found == looks.end() || rank.how == RankEnd::How::unkillable) return;
    rank.state = found->state;
    rank.wchan = found->wchan;
  }

  std::unique_ptr<wire::Board> board_;
  std::unique_ptr<Crew> crew_;  ///< ends before the board goes
};

Error not_ready(const StepEnd& how) {
  if (how.interrupted) return {ExitCode::interrupted, "interrupted while ranks were starting", "", ""};
  if (how.timed_out) {
    return {ExitCode::hung, "the ranks did not become ready in time", "", ""};
  }
  for (const auto& result : how.results) {
    if (result.state != ProbeState::passed) {
      return {ExitCode::no, "rank " + std::to_string(result.rank) + " cannot work: " + result.reason, "", ""};
    }
  }
  if (!how.trouble.empty()) return {ExitCode::internal, how.trouble, "", ""};
  for (const auto& rank : how.ranks) {
    if (rank.how == RankEnd::How::missing) return {ExitCode::internal, "a rank could not be started", "", ""};
  }
  return {ExitCode::no, "a rank ended before it was ready", "", ""};
}

}  // namespace

Result<std::unique_ptr<Team>> Team::start(const TeamSetup& setup, StepEnd& how, const std::function<bool()>& tick) {
  if (setup.executable.empty() || setup.executable.front() != '/') {
    return Error{ExitCode::internal, "the program that ranks are is not named by an absolute path", setup.executable,
                 ""};
  }
  auto board = wire::Board::create(static_cast<unsigned>(setup.devices.size()), setup.arena_bytes);
  if (!board) return board.error();
  auto crew = Crew::start(setup, board.value()->fd());
  if (!crew) return crew.error();
  auto team = std::make_unique<ProcessTeam>(std::move(board).value(), std::move(crew).value());
  for (auto& rank : team->ranks()) rank.link.expect(0);
  wire::Step ready;
  for (unsigned rank = 0; rank < setup.devices.size(); ++rank) ready.ranks.push_back(rank);
  how = team->await(ready, setup.start_deadline, tick);
  const bool all_ready = how.results.size() == setup.devices.size() &&
                         std::all_of(how.results.begin(), how.results.end(),
                                     [](const wire::StepResult& result) { return result.state == ProbeState::passed; });
  if (!all_ready || !team->usable()) {
    const auto ends = team->end();
    for (auto& rank : how.ranks) {
      rank.output = ends[rank.rank].output;
      rank.output_bytes = ends[rank.rank].output_bytes;
    }
    return not_ready(how);
  }
  return std::unique_ptr<Team>(std::move(team));
}

}  // namespace gpucoop::probe
