#include "probe/attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "probe/findings.hpp"

namespace gpucoop::probe {
namespace {

using std::chrono::milliseconds;

constexpr const char* kNotStarted = "the ranks do not start";
constexpr const char* kNotReleased =
    "the driver still keeps what ended ranks had of the GPUs: it may have to reset them, and what is started meanwhile "
    "would be ended by that";

}  // namespace

bool is_failure(ProbeState state) {
  return state == ProbeState::failed || state == ProbeState::wrong_data || state == ProbeState::crashed ||
         state == ProbeState::hung;
}

Attempts::Attempts(const RunSetup& setup, const Rules& rules, const Surroundings& surroundings)
    : setup_(setup), rules_(rules), out_(surroundings), begin_(surroundings.clock()) {
  usual_.backend = setup.wish.backend;
  usual_.simulated = setup.wish.backend == "host" || !setup.injected.empty();
}

Trace Attempts::run(const Planned& planned, const Context& context, const TeamSetup& team) {
  const auto since = out_.clock();
  const Look look = [&] { return tick(planned, context.variant, since); };
  if (!look()) return {planned, skipped_run(planned, "interrupted", context), {}};
  if (out_.begins) {
    if (auto error = out_.begins(planned, context.variant)) {
      given_up_ = "stopped: " + error->what;
      stopped_ = std::move(error);
      return {planned, skipped_run(planned, given_up_, context), {}};
    }
  }
  StepEnd end;
  auto run = run_now(planned, context, team, end, look);
  if (end.interrupted) interrupted_ = true;
  explain(planned, end, run);
  hold_against(setup_.ceilings, run, planned);
  if (is_failure(run.state) || end.interrupted || end.timed_out || end.cut_short) end_failed_team(run);
  if (out_.ended) out_.ended(run);
  return {planned, std::move(run), std::move(end.results)};
}

bool Attempts::tick(const Planned& planned, const std::string& variant, std::chrono::steady_clock::time_point since) {
  if (!out_.tick) return true;
  const auto elapsed = std::chrono::duration_cast<milliseconds>(out_.clock() - since);
  if (out_.tick({&planned, variant, number_, total_, elapsed})) return true;
  interrupted_ = true;
  return false;
}

ProbeRun Attempts::run_now(const Planned& planned, const Context& context, const TeamSetup& setup, StepEnd& end,
                           const Look& look) {
  std::vector<std::string> findings;
  if (!team_ || !team_->usable()) {
    end_team();
    if (!released(look, findings)) {
      if (!interrupted_) given_up_ = kNotReleased;
      return skipped_run(planned, interrupted_ ? "interrupted" : given_up_, context);
    }
    auto started = out_.start(setup, end, look);
    if (!started) {
      auto run = not_started_run(planned, end, started.error().what, context);
      run.deadline_s = std::chrono::duration<double>(setup.start_deadline).count();
      given_up_ = kNotStarted;
      return run;
    }
    team_ = std::move(started).value();
    end = StepEnd();
  }
  end = team_->run(planned.step, {planned.deadline, planned.standstill}, look);
  auto run = run_of(planned, end, context);
  run.findings.insert(run.findings.end(), findings.begin(), findings.end());
  return run;
}

bool Attempts::released(const Look& look, std::vector<std::string>& findings) {
  const auto ended = std::exchange(ended_, {});
  if (!out_.released || ended.empty()) return true;
  const auto begin = out_.clock();
  if (!out_.released(ended, look)) return false;
  // Less is what any end of a process takes.
  constexpr double kWorthTelling = 0.2;
  const auto seconds = std::chrono::duration<double>(out_.clock() - begin).count();
  if (seconds >= kWorthTelling) {
    findings.push_back(fmt::format("the driver let go of the ranks that were ended before after {:.1f} s", seconds));
  }
  return true;
}

/// What logs say about a run that did not pass, or else its last words.
void Attempts::explain(const Planned& planned, const StepEnd& end, ProbeRun& run) {
  const auto kernel = out_.kernel_lines ? out_.kernel_lines() : std::vector<LogLine>();
  const bool bad = is_failure(run.state) || run.state == ProbeState::refused;
  if (!bad && kernel.empty()) return;
  auto known = log_findings(planned, bad ? end : StepEnd(), kernel, rules_, bad ? run.reason : std::string());
  if (known.empty() && is_failure(run.state)) {
    if (auto words = last_words(planned, end); !words.empty()) known.push_back(std::move(words));
  }
  run.findings.insert(run.findings.end(), known.begin(), known.end());
  if (!bad) return;
  for (const auto& fault : setup_.injected) run.findings.push_back("a fault was injected: " + fault);
}

void Attempts::end_failed_team(ProbeRun& run) {
  if (!team_) return;
  for (const auto& rank : team_->end()) {
    if (rank.how != RankEnd::How::unkillable) continue;
    const auto text = "process " + std::to_string(rank.pid) + " could not be ended: it sleeps in the kernel (state D)";
    if (std::find(run.findings.begin(), run.findings.end(), text) == run.findings.end()) run.findings.push_back(text);
  }
  end_team();
}

void Attempts::end_team() {
  if (!team_) return;
  const auto processes = team_->processes();
  ended_.insert(ended_.end(), processes.begin(), processes.end());
  static_cast<void>(team_->end());
  team_.reset();
}

void Attempts::keep(Trace trace) {
  if (out_.told) out_.told(trace.run);
  traces_.push_back(std::move(trace));
}

void Attempts::skip(const Planned& planned, const std::string& why, const Context& context) {
  keep({planned, skipped_run(planned, why, context), {}});
}

bool Attempts::guarded(const Planned& planned) {
  if (!out_.guard || guarded_ == planned.rung) return true;
  if (auto error = out_.guard()) {
    given_up_ = "stopped: " + error->what;
    stopped_ = std::move(error);
    return false;
  }
  guarded_ = planned.rung;
  return true;
}

void Attempts::forgive_start() {
  if (given_up_ == kNotStarted) given_up_.clear();
}

bool Attempts::in_budget() const { return out_.clock() - begin_ < setup_.budget; }

std::uint32_t Attempts::new_ids(std::size_t count) {
  const auto first = next_id_;
  next_id_ += static_cast<std::uint32_t>(count);
  return first;
}

void Attempts::at(std::size_t number, std::size_t total) {
  number_ = number;
  total_ = total;
}

}  // namespace gpucoop::probe
