#include "probe/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "probe/attempts.hpp"
#include "probe/second_tries.hpp"
#include "probe/told.hpp"
#include "probe/variant_rates.hpp"

namespace gpucoop::probe {
namespace {

void tell_soak(std::vector<Trace>& traces) {
  for (auto& [planned, run, results] : traces) {
    if (planned.rung->area != Area::soak || run.state != ProbeState::passed || !run.seconds.is_known()) continue;
    run.findings.push_back(fmt::format("for {:.0f} s every value was right", run.seconds.value()));
  }
}

/// What each size took, of which the run itself names two: `8 B 6.25 us, replayed from a graph 5.71 us; …`.
void tell_sizes(std::vector<Trace>& traces) {
  for (auto& [planned, run, results] : traces) {
    if (planned.rung->id != "ccl.latency" || run.state != ProbeState::passed || results.empty()) continue;
    const auto before = planned.step.op + " of ";
    std::string text;
    for (const auto& [what, took] : results.front().answers) {
      if (what.compare(0, before.size(), before) != 0) continue;
      // The size, or of the size that was named last something more: `, replayed from a graph`.
      const auto comma = what.find(',');
      if (comma != std::string::npos) {
        text += what.substr(comma) + " " + took;
      } else {
        const auto bytes = std::strtoull(what.c_str() + before.size(), nullptr, 10);
        text += (text.empty() ? "" : "; ") + sizes_in_words({bytes}) + " " + took;
      }
    }
    if (!text.empty()) run.findings.push_back(planned.step.op + ": " + text);
  }
}

/// What goes through the memory of the host is held against what that memory can do.
void tell_floor(std::vector<Trace>& traces) {
  Known<double> copy;
  for (const auto& trace : traces) {
    const auto& rate = trace.run.gbytes_per_s;
    if (trace.planned.rung->id != "host.copy_rate" || trace.run.state != ProbeState::passed || !rate.is_known())
      continue;
    if (!copy.is_known() || rate.value() < copy.value()) copy = rate;
  }
  for (auto& trace : traces) {
    if (!copy.is_known() || trace.planned.rung->id != "ccl.latency" || trace.run.state != ProbeState::passed) continue;
    trace.run.findings.push_back(
        fmt::format("a plain memcpy by one process: {:.3g} GB/s (the slowest of host.copy_rate)", copy.value()));
  }
}

class Climb {
 public:
  Climb(const RunSetup& setup, const Rules& rules, const Surroundings& surroundings)
      : setup_(setup), rules_(rules), attempts_(setup, rules, surroundings), second_(setup, rules, attempts_) {}

  RunEnd take() {
    const auto plan = make_plan(setup_.wish);
    std::uint32_t last = 0;
    for (const auto& planned : plan) last = std::max(last, planned.step.id);
    static_cast<void>(attempts_.new_ids(last));
    for (std::size_t i = 0; i < plan.size(); ++i) {
      attempts_.at(i + 1, plan.size());
      climb(plan[i]);
    }
    if (crossed_ && !attempts_.over()) {
      const auto planned = attempts_.traces()[*crossed_].planned;
      second_.variants(planned, *crossed_);
    }
    time_variants(setup_, rules_, attempts_);
    attempts_.end_team();
    return ended();
  }

 private:
  void climb(const Planned& planned) {
    if (planned.on_demand && !sequence_has_failed(planned)) return;
    auto why = why_not(planned);
    if (why.empty() && !attempts_.guarded(planned)) why = attempts_.given_up();
    if (!why.empty()) {
      attempts_.skip(planned, why, attempts_.usual());
      return;
    }
    auto trace = attempts_.run(planned, attempts_.usual(), setup_.team);
    const bool failed = is_failure(trace.run.state);
    attempts_.keep(std::move(trace));
    if (failed) after_failure(planned, attempts_.traces().size() - 1);
  }

  [[nodiscard]] std::string why_not(const Planned& planned) const {
    if (!planned.skip.empty()) return planned.skip;
    if (attempts_.interrupted()) return "interrupted";
    if (!attempts_.given_up().empty()) return attempts_.given_up();
    for (const auto& need : planned.rung->needs) {
      if (has_passed(attempts_.traces(), need, planned.gpus)) continue;
      return "it needs " + need + ", which " + how_it_stands(attempts_.traces(), need, planned.gpus);
    }
    if (planned.counts && has_failed(planned)) return "an earlier step of " + planned.rung->id + " has failed";
    // A soak is asked for with a time of its own.
    return attempts_.in_budget() || planned.rung->area == Area::soak ? std::string() : kBudgetReason;
  }

  template <class Is>
  [[nodiscard]] bool any_failed(Is is) const {
    return std::any_of(attempts_.traces().begin(), attempts_.traces().end(), [&](const Trace& trace) {
      return trace.run.variant.empty() && is_failure(trace.run.state) && is(trace.planned);
    });
  }
  [[nodiscard]] bool has_failed(const Planned& planned) const {
    return any_failed([&](const Planned& other) { return other.rung == planned.rung && other.gpus == planned.gpus; });
  }
  [[nodiscard]] bool sequence_has_failed(const Planned& planned) const {
    return any_failed([&](const Planned& other) {
      return other.rung == planned.rung && other.step.sequence == planned.step.sequence && other.counts;
    });
  }

  /// `at`: the trace of what failed.
  void after_failure(const Planned& planned, std::size_t at) {
    if (attempts_.over() || !recovers(at)) return;
    const bool whole = planned.rung->who == Who::all && planned.rung->library && planned.counts;
    if (!whole) return;
    if (planned.rung->id == "ccl.switching") {
      // With which waits it passes says more than any setting: that comes first.
      if (!crossed_) crossed_ = at;
      return;
    }
    second_.variants(planned, at);
    if (planned.rung->id == "ccl.allreduce" || planned.rung->id == "ccl.init") second_.pairs(at);
  }

  /// Whether fresh ranks can use the GPUs; where they cannot, nothing more is tried.
  bool recovers(std::size_t at) {
    Planned check;
    check.rung = &recovery();
    check.gpus = setup_.wish.devices;
    check.step.id = attempts_.new_ids();
    check.step.rung = "gpu.dispatch";
    for (unsigned rank = 0; rank < check.gpus.size(); ++rank) check.step.ranks.push_back(rank);
    check.deadline = setup_.wish.timeout.value_or(recovery().deadline);
    check.step.limit_ms = static_cast<std::uint32_t>(check.deadline.count());
    auto trace = attempts_.run(check, attempts_.usual(), setup_.team);
    const auto state = trace.run.state;
    attempts_.keep(std::move(trace));
    attempts_.forgive_start();
    if (state == ProbeState::passed || attempts_.interrupted()) return state == ProbeState::passed;
    auto& findings = attempts_.traces()[at].run.findings;
    if (attempts_.given_up().empty()) {
      attempts_.give_up("fresh processes cannot use the GPUs any more");
      findings.emplace_back("after it fresh processes cannot run a kernel on every GPU");
    } else {
      findings.push_back(attempts_.given_up());
    }
    return false;
  }

  RunEnd ended() {
    auto& traces = attempts_.traces();
    if (crossed_) tell_crossed(traces, *crossed_);
    tell_soak(traces);
    tell_sizes(traces);
    if (setup_.wish.backend == "host") tell_floor(traces);
    RunEnd end;
    end.stopped = attempts_.stopped();
    end.interrupted = attempts_.interrupted();
    end.facts = facts_of(traces, rules_);
    add_cure(traces, setup_.wish.devices.size(), second_.cure(), end.facts);
    for (auto& trace : traces) end.runs.push_back(std::move(trace.run));
    return end;
  }

  const RunSetup& setup_;
  const Rules& rules_;
  Attempts attempts_;
  SecondTries second_;
  std::optional<std::size_t> crossed_;  ///< the trace of the first crossed sequence that failed
};

}  // namespace

RunEnd climb(const RunSetup& setup, const Rules& rules, const Surroundings& surroundings) {
  return Climb(setup, rules, surroundings).take();
}

}  // namespace gpucoop::probe
