#include "probe/run.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "probe/findings.hpp"
#include "probe/told.hpp"
#include "probe/variants.hpp"

namespace gpucoop::probe {
namespace {

using std::chrono::milliseconds;

bool is_failure(ProbeState state) {
  return state == ProbeState::failed || state == ProbeState::wrong_data || state == ProbeState::crashed ||
         state == ProbeState::hung;
}

class Climb {
 public:
  Climb(const RunSetup& setup, const Rules& rules, const Surroundings& surroundings)
      : setup_(setup), rules_(rules), out_(surroundings), begin_(surroundings.clock()) {
    common_.backend = setup.wish.backend;
    common_.simulated = setup.wish.backend == "host" || !setup.injected.empty();
  }

  RunEnd take() {
    plan_ = make_plan(setup_.wish);
    for (const auto& planned : plan_) next_id_ = std::max(next_id_, planned.step.id + 1);
    for (const auto& planned : plan_) {
      ++number_;
      climb(planned);
    }
    if (crossed_ != kNone && given_up_.empty() && !end_.interrupted)
      try_variants(Planned(traces_[crossed_].planned), crossed_);
    if (team_) static_cast<void>(team_->end());
    return ended();
  }

 private:
  void climb(const Planned& planned) {
    if (planned.on_demand && !sequence_has_failed(planned)) return;
    const auto why = why_not(planned);
    if (!why.empty()) {
      keep(planned, skipped_run(planned, why, common_), {});
      return;
    }
    if (!may_go_on(planned)) return;
    StepEnd end;
    const auto run = step(planned, common_, setup_.team, end);
    keep(planned, run, end.results);
    if (is_failure(run.state)) after_failure(planned, traces_.size() - 1);
  }

  [[nodiscard]] std::string why_not(const Planned& planned) const {
    if (!planned.skip.empty()) return planned.skip;
    if (end_.interrupted) return "interrupted";
    if (!given_up_.empty()) return given_up_;
    for (const auto& need : planned.rung->needs) {
      if (has_passed(traces_, need, planned.gpus)) continue;
      return "it needs " + need + ", which " + how_it_stands(traces_, need, planned.gpus);
    }
    if (planned.counts && has_failed(planned)) return "an earlier step of " + planned.rung->id + " has failed";
    if (out_.clock() - begin_ >= setup_.budget) return kBudgetReason;
    return {};
  }

  [[nodiscard]] bool has_failed(const Planned& planned) const {
    return std::any_of(traces_.begin(), traces_.end(), [&](const Trace& trace) {
      return trace.planned.rung == planned.rung && trace.planned.gpus == planned.gpus && trace.run.variant.empty() &&
             is_failure(trace.run.state);
    });
  }

  [[nodiscard]] bool sequence_has_failed(const Planned& planned) const {
    return std::any_of(traces_.begin(), traces_.end(), [&](const Trace& trace) {
      return trace.planned.rung == planned.rung && trace.planned.step.sequence == planned.step.sequence &&
             trace.planned.counts && trace.run.variant.empty() && is_failure(trace.run.state);
    });
  }

  /// The guard, before each rung.
  bool may_go_on(const Planned& planned) {
    if (out_.guard && guarded_ != planned.rung) {
      if (auto error = out_.guard()) {
        given_up_ = "stopped: " + error->what;
        end_.stopped = std::move(error);
        keep(planned, skipped_run(planned, given_up_, common_), {});
        return false;
      }
      guarded_ = planned.rung;
    }
    return true;
  }

  bool tick(const Planned& planned, const std::string& variant, std::chrono::steady_clock::time_point since) {
    if (!out_.tick) return true;
    const auto elapsed = std::chrono::duration_cast<milliseconds>(out_.clock() - since);
    if (out_.tick({&planned, variant, number_, plan_.size(), elapsed})) return true;
    end_.interrupted = true;
    return false;
  }

  /// Runs one step with the team of now, or with a fresh one where that is not usable. Everything but the bookkeeping.
  ProbeRun step(const Planned& planned, const Context& context, const TeamSetup& team, StepEnd& end) {
    const auto since = out_.clock();
    const auto look = [&] { return tick(planned, context.variant, since); };
    if (!look()) return skipped_run(planned, "interrupted", context);
    if (out_.begins) {
      if (auto error = out_.begins(planned, context.variant)) {
        given_up_ = "stopped: " + error->what;
        end_.stopped = std::move(error);
        return skipped_run(planned, given_up_, context);
      }
    }
    auto run = run_now(planned, context, team, end, look);
    if (end.interrupted) end_.interrupted = true;
    explain(planned, end, run);
    hold_against(setup_.ceilings, run, planned);
    if (is_failure(run.state) || end.interrupted || end.timed_out || end.cut_short) end_team(run);
    if (out_.ended) out_.ended(run);
    return run;
  }

  ProbeRun run_now(const Planned& planned, const Context& context, const TeamSetup& setup, StepEnd& end,
                   const std::function<bool()>& look) {
    if (!team_ || !team_->usable()) {
      team_.reset();
      auto started = out_.start(setup, end, look);
      if (!started) {
        auto run = not_started_run(planned, end, started.error().what, context);
        run.deadline_s = std::chrono::duration<double>(setup.start_deadline).count();
        given_up_ = "the ranks do not start";
        return run;
      }
      team_ = std::move(started).value();
      end = StepEnd();
    }
    end = team_->run(planned.step, planned.deadline, look);
    return run_of(planned, end, context);
  }

  /// What logs say about a run that did not pass, or else its last words.
  void explain(const Planned& planned, const StepEnd& end, ProbeRun& run) {
    const auto kernel = out_.kernel_lines ? out_.kernel_lines() : std::vector<LogLine>();
    const bool bad = is_failure(run.state) || run.state == ProbeState::refused;
    if (!bad && kernel.empty()) return;
    auto known = log_findings(planned, bad ? end : StepEnd(), kernel, rules_);
    if (known.empty() && is_failure(run.state)) {
      if (auto words = last_words(planned, end); !words.empty()) known.push_back(std::move(words));
    }
    run.findings.insert(run.findings.end(), known.begin(), known.end());
    if (is_failure(run.state)) {
      for (const auto& fault : setup_.injected) run.findings.push_back("a fault was injected: " + fault);
    }
  }

  void end_team(ProbeRun& run) {
    if (!team_) return;
    for (const auto& rank : team_->end()) {
      if (rank.how != RankEnd::How::unkillable) continue;
      const auto text =
          "process " + std::to_string(rank.pid) + " could not be ended: it sleeps in the kernel (state D)";
      if (std::find(run.findings.begin(), run.findings.end(), text) == run.findings.end()) run.findings.push_back(text);
    }
    team_.reset();
  }

  void keep(const Planned& planned, ProbeRun run, std::vector<wire::StepResult> results) {
    if (out_.told) out_.told(run);
    traces_.push_back({planned, std::move(run), std::move(results)});
  }

  /// `at`: the trace of what failed.
  void after_failure(const Planned& planned, std::size_t at) {
    if (end_.interrupted || !given_up_.empty()) return;
    if (!recovers()) {
      given_up_ = "fresh processes cannot use the GPUs any more";
      traces_[at].run.findings.push_back("after it fresh processes cannot run a kernel on every GPU");
      return;
    }
    const bool whole = planned.rung->who == Who::all && planned.rung->library && planned.counts;
    if (!whole) return;
    if (planned.rung->id == "ccl.switching") {
      // With which waits it passes says more than any setting: that comes first.
      if (crossed_ == kNone) crossed_ = at;
      return;
    }
    try_variants(planned, at);
    if (planned.rung->id == "ccl.allreduce" || planned.rung->id == "ccl.init") try_pairs(at);
  }

  bool recovers() {
    Planned check;
    check.rung = &recovery();
    check.gpus = setup_.wish.devices;
    check.step.id = next_id_++;
    check.step.rung = "gpu.dispatch";
    for (unsigned rank = 0; rank < check.gpus.size(); ++rank) check.step.ranks.push_back(rank);
    check.deadline = setup_.wish.timeout.value_or(recovery().deadline);
    check.step.limit_ms = static_cast<std::uint32_t>(check.deadline.count());
    StepEnd end;
    const auto run = step(check, common_, setup_.team, end);
    keep(check, run, end.results);
    if (run.state != ProbeState::passed) given_up_.clear();
    return run.state == ProbeState::passed;
  }

  [[nodiscard]] bool in_budget() const { return out_.clock() - begin_ < setup_.budget; }

  void try_variants(const Planned& planned, std::size_t at) {
    const auto library = library_name();
    if (tried_.size() >= kMostTried || !tried_.insert(planned.rung->id).second) return;
    std::vector<Tried> tried;
    for (const auto* variant : variants_for(rules_, library)) {
      if (!goes_on(tried) || end_.interrupted) break;
      auto again = planned;
      again.step.id = next_id_++;
      if (setup_.wish.most_bytes > 0) again.step.rounds = std::min(again.step.rounds, kFewRounds);
      auto context = common_;
      context.variant = settings_in_words(*variant);
      if (!in_budget()) {
        keep(again, skipped_run(again, kBudgetReason, context), {});
        tried.push_back({variant, ProbeState::skipped});
        continue;
      }
      auto setup = setup_.team;
      for (const auto& [name, value] : settings_of(*variant)) {
        const auto same = [&, key = name](const auto& entry) { return entry.first == key; };
        setup.environment.erase(std::remove_if(setup.environment.begin(), setup.environment.end(), same),
                                setup.environment.end());
        setup.environment.emplace_back(name, value);
      }
      StepEnd end;
      if (team_) static_cast<void>(team_->end());
      team_.reset();
      auto run = step(again, context, setup, end);
      given_up_.clear();
      tried.push_back({variant, run.state == ProbeState::inconclusive ? ProbeState::skipped : run.state});
      if (variant->control && is_failure(run.state)) {
        run.reason = std::string(to_string(run.state)) + " as well: " + run.reason;
        run.state = ProbeState::inconclusive;
      }
      keep(again, run, end.results);
      if (team_) static_cast<void>(team_->end());
      team_.reset();
    }
    const auto diagnosis = diagnose(tried);
    if (!diagnosis.finding.empty()) traces_[at].run.findings.push_back(diagnosis.finding);
    if (planned.rung->id != "ccl.allreduce" || diagnosis.kind != Diagnosis::Kind::cured) return;
    cure_ = settings_in_words(*diagnosis.cure);
  }

  [[nodiscard]] std::string library_name() const {
    for (const auto& trace : traces_) {
      if (!trace.run.library_name.empty()) return trace.run.library_name;
    }
    return setup_.wish.backend == "host" ? "host" : "";
  }

  /// Which pairs work where the whole set does not.
  void try_pairs(std::size_t at) {
    const auto count = static_cast<unsigned>(setup_.wish.devices.size());
    if (count < 3) return;
    std::vector<std::string> good;
    std::vector<std::string> bad;
    for (unsigned a = 0; a < count; ++a) {
      for (unsigned b = a + 1; b < count; ++b) {
        for (const char* rung : {"ccl.init", "ccl.allreduce"}) {
          auto steps = plan_part(setup_.wish, *find_rung(rung), {a, b}, next_id_);
          auto& part = steps.front();
          next_id_ += static_cast<std::uint32_t>(steps.size());
          if (end_.interrupted || !in_budget() || !given_up_.empty()) {
            const std::string why = end_.interrupted    ? "interrupted"
                                    : given_up_.empty() ? std::string(kBudgetReason)
                                                        : given_up_;
            keep(part, skipped_run(part, why, common_), {});
            break;
          }
          StepEnd end;
          const auto run = step(part, common_, setup_.team, end);
          keep(part, run, end.results);
          const auto names = run.gpus[0] + " and " + run.gpus[1];
          if (run.state != ProbeState::passed) {
            if (is_failure(run.state)) bad.push_back(names);
            break;
          }
          if (std::string(rung) == "ccl.allreduce") good.push_back(names);
        }
      }
    }
    std::string text;
    for (const auto& [list, word] : {std::pair(&good, "works between "), std::pair(&bad, "fails between ")}) {
      constexpr std::size_t kMost = 6;
      for (std::size_t i = 0; i < std::min(list->size(), kMost); ++i) {
        text += (i > 0 ? ", " : text.empty() ? "" : "; it ") + (i == 0 ? word + (*list)[i] : (*list)[i]);
      }
      if (list->size() > kMost) text += " and " + std::to_string(list->size() - kMost) + " other pairs";
    }
    if (!text.empty()) traces_[at].run.findings.push_back("by pairs, it " + text);
  }

  RunEnd ended() {
    if (crossed_ != kNone) tell_crossed(traces_, crossed_);
    end_.facts = facts_of(traces_, rules_);
    add_cure(traces_, setup_.wish.devices.size(), cure_, end_.facts);
    for (auto& trace : traces_) end_.runs.push_back(std::move(trace.run));
    return std::move(end_);
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::uint32_t kFewRounds = 300;  ///< of second tries with simulated devices
  static constexpr std::size_t kMostTried = 2;      ///< rungs that are tried again under variants

  const RunSetup& setup_;
  const Rules& rules_;
  const Surroundings& out_;
  std::chrono::steady_clock::time_point begin_;
  Context common_;
  std::vector<Planned> plan_;
  std::vector<Trace> traces_;
  std::unique_ptr<Team> team_;
  RunEnd end_;
  std::string given_up_;  ///< why nothing more is tried
  const Rung* guarded_ = nullptr;
  std::set<std::string> tried_;
  std::string cure_;
  std::size_t crossed_ = kNone;
  std::size_t number_ = 0;
  std::uint32_t next_id_ = 1;
};

}  // namespace

RunEnd climb(const RunSetup& setup, const Rules& rules, const Surroundings& surroundings) {
  return Climb(setup, rules, surroundings).take();
}

}  // namespace gpucoop::probe
