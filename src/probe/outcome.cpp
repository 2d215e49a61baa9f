#include "probe/outcome.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>

#include "base/list.hpp"
#include "probe/findings.hpp"

namespace gpucoop::probe {
namespace {

/// From what says least to what says most.
constexpr std::array kBySeverity = {ProbeState::passed,     ProbeState::skipped, ProbeState::inconclusive,
                                    ProbeState::invalid,    ProbeState::refused, ProbeState::failed,
                                    ProbeState::wrong_data, ProbeState::hung,    ProbeState::crashed};

std::size_t severity(ProbeState state) {
  return static_cast<std::size_t>(std::find(kBySeverity.begin(), kBySeverity.end(), state) - kBySeverity.begin());
}

const wire::StepResult* result_of(const StepEnd& end, unsigned rank) {
  const auto found = std::find_if(end.results.begin(), end.results.end(),
                                  [&](const wire::StepResult& result) { return result.rank == rank; });
  return found == end.results.end() ? nullptr : &*found;
}

bool gone(const RankEnd& rank) { return rank.how == RankEnd::How::signalled || rank.how == RankEnd::How::exited; }

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name == nullptr ? std::to_string(number) : std::string("SIG") + name;
}

std::string gone_in_words(const Planned& planned, const RankEnd& rank) {
  const auto who = rank_in_words(planned, rank.rank);
  if (rank.how == RankEnd::How::signalled) return who + " crashed (" + signal_name(rank.code) + ")";
  return fmt::format("{} ended by itself with status {} before it answered", who, rank.code);
}

/// `10 s`, `0.4 s`.
std::string duration(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

ProbeRun base_of(const Planned& planned, const Context& context) {
  ProbeRun run;
  run.rung = planned.rung->id;
  run.op = planned.step.op;
  if (!planned.step.sequence.empty()) run.op = planned.step.sequence;
  if (planned.step.sync != wire::Sync::none) {
    run.op += planned.step.sync == wire::Sync::stream ? ", stream wait" : ", rendezvous";
  }
  for (const auto& gpu : planned.gpus) run.gpus.push_back(to_string(gpu));
  run.ranks = static_cast<unsigned>(planned.gpus.size());
  run.backend = context.backend;
  run.variant = context.variant;
  run.simulated = context.simulated;
  run.dtype = planned.step.dtype;
  run.deadline_s = static_cast<double>(planned.deadline.count()) / 1000;
  return run;
}

class Ended {
 public:
  Ended(const Planned& planned, const StepEnd& end, const Context& context)
      : planned_(planned), end_(end), run_(base_of(planned, context)) {}

  ProbeRun take() {
    run_.seconds = end_.seconds;
    for (const unsigned rank : planned_.step.ranks) {
      if (result_of(end_, rank) == nullptr) silent_.push_back(rank);
    }
    numbers();
    state();
    auto shown = end_;
    if (told_hang_) shown.timed_out = false;
    for (auto& finding : hang_findings(shown)) run_.findings.push_back(std::move(finding));
    return std::move(run_);
  }

 private:
  /// A rank has said that it did not get through, for another reason than that others did not come.
  [[nodiscard]] bool somebody_failed() const {
    return std::any_of(end_.results.begin(), end_.results.end(), [](const wire::StepResult& result) {
      return result.state == ProbeState::wrong_data || result.state == ProbeState::failed ||
             result.state == ProbeState::refused;
    });
  }

  void state() {
    std::vector<std::string> lost;
    for (const auto& rank : end_.ranks) {
      // A rank that said something else than it should and then left has not crashed.
      const bool babbled = rank.garbage && rank.how == RankEnd::How::exited;
      if (gone(rank) && !babbled && result_of(end_, rank.rank) == nullptr)
        lost.push_back(gone_in_words(planned_, rank));
    }
    if (!lost.empty()) {
      run_.state = ProbeState::crashed;
      run_.reason = list_in_words(lost);
    } else if (end_.interrupted) {
      run_.state = ProbeState::inconclusive;
      run_.reason = "interrupted";
    } else if (end_.garbage) {
      run_.state = ProbeState::failed;
      run_.reason = "something else than an answer came back: " +
                    (silent_.empty() ? std::string("from one of the ranks") : "from " + names(silent_));
    } else if ((end_.timed_out || end_.cut_short) && somebody_failed()) {
      // It stopped, and the others wait for it in vain: that is no hang of its own.
      worst_answer();
      if (end_.timed_out) run_.findings.push_back("the other ranks then waited for it until the deadline");
      told_hang_ = true;
    } else if (end_.timed_out) {
      run_.state = end_.hang == Hang::slow ? ProbeState::inconclusive : ProbeState::hung;
      run_.reason = (end_.stood_still ? "no rank got on for " + duration(planned_.standstill)
                                      : "no answer within " + duration(planned_.deadline)) +
                    (silent_.empty() || !end_.where_stuck.empty() ? std::string() : " from " + names(silent_)) +
                    (end_.where_stuck.empty() ? "" : ": " + end_.where_stuck);
    } else if (!silent_.empty()) {
      run_.state = ProbeState::failed;
      run_.reason = "no answer from " + names(silent_);
    } else {
      worst_answer();
    }
    if (end_.cut_short && !end_.others.empty()) {
      run_.findings.push_back("the rest could not end without it and was ended: " + end_.others);
    }
  }

  void worst_answer() {
    const wire::StepResult* worst = nullptr;
    for (const auto& result : end_.results) {
      if (worst == nullptr || severity(result.state) > severity(worst->state)) worst = &result;
    }
    if (worst == nullptr) {
      run_.state = ProbeState::failed;
      run_.reason = "no rank took part";
      return;
    }
    run_.state = worst->state;
    if (worst->state == ProbeState::passed) return;
    run_.bytes = worst->bytes;
    run_.reason = worst->reason;
    if (worst->state == ProbeState::wrong_data) wrong_words();
    if (run_.reason.empty()) run_.reason = "no reason was given";
    const bool all = std::all_of(end_.results.begin(), end_.results.end(), [&](const wire::StepResult& r) {
      return r.state == worst->state && r.reason == worst->reason;
    });
    if (!all || end_.results.size() == 1) run_.reason = rank_in_words(planned_, worst->rank) + ": " + run_.reason;
  }

  void wrong_words() {
    const wire::StepResult* most = nullptr;
    std::size_t ranks = 0;
    for (const auto& result : end_.results) {
      if (result.wrong_words == 0) continue;
      ++ranks;
      if (most == nullptr || result.wrong_words > most->wrong_words) most = &result;
    }
    if (most == nullptr) return;
    run_.bytes = most->bytes;
    run_.reason = fmt::format(
        "{} of {} words wrong{}{}", most->wrong_words, most->checked_words,
        ranks > 1 ? fmt::format(", and wrong on {} of {} ranks", ranks, planned_.step.ranks.size()) : std::string(),
        most->wrong_how.empty() ? "" : " (" + most->wrong_how + ")");
  }

  void numbers() {
    std::uint64_t checked = 0;
    std::uint64_t wrong = 0;
    for (const auto& result : end_.results) {
      checked += result.checked_words;
      wrong += result.wrong_words;
      if (result.bytes > 0) {
        run_.bytes = run_.bytes.is_known() ? std::min(run_.bytes.value(), result.bytes) : result.bytes;
      }
      slower(run_.latency_us, result.latency_us, false);
      slower(run_.gbytes_per_s, result.gbytes_per_s, true);
      slower(run_.bus_gbytes_per_s, result.bus_gbytes_per_s, true);
      if (way_rank(result.transport) >= way_rank(run_.transport)) {
        if (!result.transport.empty()) run_.transport = result.transport;
      }
      if (run_.library_name.empty()) {
        run_.library_name = result.library_name;
        run_.library_version = result.library_version;
      }
    }
    if (checked > 0) run_.wrong_words = wrong;
  }

  /// Straight from GPU to GPU, through host memory, through the network.
  static int way_rank(const std::string& transport) {
    if (transport.empty()) return 0;
    const auto begins = [&](std::string_view word) { return transport.compare(0, word.size(), word) == 0; };
    return begins("NET") ? 3 : begins("SHM") ? 2 : 1;
  }

  static void slower(Known<double>& kept, const Known<double>& other, bool lower) {
    if (!other.is_known()) return;
    if (!kept.is_known() || (lower ? other.value() < kept.value() : other.value() > kept.value())) kept = other;
  }

  [[nodiscard]] std::string names(const std::vector<unsigned>& ranks) const {
    if (ranks.size() == planned_.step.ranks.size() && ranks.size() > 1) return "any rank";
    std::vector<std::string> words;
    words.reserve(ranks.size());
    for (const unsigned rank : ranks) words.push_back(rank_in_words(planned_, rank));
    return list_in_words(words);
  }

  const Planned& planned_;
  const StepEnd& end_;
  ProbeRun run_;
  std::vector<unsigned> silent_;
  bool told_hang_ = false;
};

}  // namespace

ProbeRun run_of(const Planned& planned, const StepEnd& end, const Context& context) {
  return Ended(planned, end, context).take();
}

ProbeRun skipped_run(const Planned& planned, std::string reason, const Context& context) {
  auto run = base_of(planned, context);
  run.state = ProbeState::skipped;
  run.reason = std::move(reason);
  return run;
}

ProbeRun not_started_run(const Planned& planned, const StepEnd& how, const std::string& why, const Context& context) {
  auto run = run_of(planned, how, context);
  // A rank that cannot open its device says so; where nothing was said, what the start says is all there is.
  if (how.results.empty() && run.state == ProbeState::failed) run.reason = why;
  if (run.state == ProbeState::passed || run.state == ProbeState::skipped) {
    run.state = ProbeState::failed;
    run.reason = why;
  }
  run.reason = "the ranks did not start: " + run.reason;
  return run;
}

std::string rank_in_words(const Planned& planned, unsigned rank) {
  const auto& ranks = planned.step.ranks;
  const auto at = static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
  const auto name = "rank " + std::to_string(rank);
  return at < planned.gpus.size() ? name + " (" + short_form(planned.gpus[at]) + ")" : name;
}

}  // namespace gpucoop::probe
