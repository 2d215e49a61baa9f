#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "probe/outcome.hpp"

namespace gpucoop::probe {
namespace {

/// The members of a set in one order: a set is the same whoever comes first.
std::vector<Address> members(const Rung& rung, std::vector<Address> gpus) {
  if (rung.who == Who::all) std::sort(gpus.begin(), gpus.end());
  return gpus;
}

bool speaks(const Trace& trace) { return trace.planned.counts && trace.run.variant.empty(); }

bool says_no(const Trace& trace) {
  return std::any_of(trace.results.begin(), trace.results.end(), [&](const wire::StepResult& result) {
    return std::any_of(result.answers.begin(), result.answers.end(),
                       [&](const auto& a) { return a.first == trace.planned.rung->id && a.second == "false"; });
  });
}

bool is_failure(ProbeState state) {
  return state == ProbeState::failed || state == ProbeState::wrong_data || state == ProbeState::crashed ||
         state == ProbeState::hung;
}

Subject subject_of(const Rung& rung, const FactRule& rule, const std::vector<Address>& gpus) {
  if (rule.subject == SubjectKind::host) return {SubjectKind::host, {}};
  return {rule.subject, members(rung, gpus)};
}

std::string library_of(const ProbeRun& run) {
  if (run.library_name.empty()) return run.backend;
  return run.library_name + (run.library_version.empty() ? "" : " " + run.library_version);
}

std::string what_was_done(const Trace& trace) {
  std::string text = trace.run.op.empty() ? trace.planned.rung->what : trace.run.op;
  const auto sizes = sizes_in_words(trace.planned.step.sizes);
  if (!sizes.empty()) text += " of " + sizes;
  if (!trace.run.dtype.empty()) text += ", " + trace.run.dtype;
  return text + " (" + library_of(trace.run) + ")";
}

/// A value as its fact has it; nothing where the text is none.
std::optional<FactValue> value_of(const std::string& text, FactType type) {
  switch (type) {
    case FactType::boolean:
      if (text == "true") return FactValue(true);
      if (text == "false") return FactValue(false);
      return std::nullopt;
    case FactType::number: {
      double number = 0;
      const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
      if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
      return FactValue(number);
    }
    case FactType::text: return text.empty() ? std::nullopt : std::optional<FactValue>(text);
  }
  return std::nullopt;
}

class Facts {
 public:
  Facts(std::vector<Trace>& traces, const Rules& rules) : traces_(traces), rules_(rules) {}

  std::vector<Fact> take() {
    for (auto& trace : traces_) trace.run.facts.clear();
    for (auto& trace : traces_) {
      answers(trace);
      rates(trace);
    }
    for (std::size_t i = 0; i < traces_.size(); ++i) outcome(i);
    return std::move(facts_);
  }

 private:
  /// The fact of the rung, once all its steps for these GPUs are known.
  void outcome(std::size_t first) {
    const auto& trace = traces_[first];
    const auto* rule = find_fact_rule(rules_, trace.planned.rung->id);
    if (!speaks(trace) || rule == nullptr || rule->type != FactType::boolean || rule->tier != Tier::probed) return;
    const auto subject = subject_of(*trace.planned.rung, *rule, trace.planned.gpus);
    Fact fact{rule->id, subject, FactValue(true), Tier::probed, {}, {}};
    if (!done_.insert(reference(fact)).second) return;
    const Trace* failed = nullptr;
    bool whole = true;
    std::vector<Trace*> all;
    for (auto& other : traces_) {
      if (!speaks(other) || other.planned.rung->id != trace.planned.rung->id ||
          subject_of(*other.planned.rung, *rule, other.planned.gpus) != subject) {
        continue;
      }
      all.push_back(&other);
      if (failed == nullptr && is_failure(other.run.state)) failed = &other;
      whole = whole && other.run.state == ProbeState::passed;
    }
    if (failed == nullptr && !whole) return;
    if (failed != nullptr) {
      fact.value = FactValue(false);
      fact.evidence = what_was_done(*failed) + ": " + std::string(to_string(failed->run.state)) +
                      (failed->run.reason.empty() ? "" : ", " + failed->run.reason);
    } else {
      fact.evidence = what_was_done(trace) + " passed";
      if (all.size() > 1) fact.evidence += fmt::format(", and {} more", all.size() - 1);
    }
    for (auto* one : all) {
      const bool names = failed == nullptr ? one->run.state == ProbeState::passed : is_failure(one->run.state);
      if (names) one->run.facts.push_back(reference(fact));
    }
    facts_.push_back(std::move(fact));
  }

  /// What drivers and runtimes said. Where ranks were told different things, nothing is taken.
  void answers(Trace& trace) {
    if (!speaks(trace) || trace.run.state == ProbeState::skipped || trace.run.state == ProbeState::invalid ||
        trace.run.state == ProbeState::inconclusive) {
      return;
    }
    for (const auto& result : trace.results) {
      for (const auto& [id, text] : result.answers) answer(trace, result, id, text);
    }
  }

  void answer(Trace& trace, const wire::StepResult& result, const std::string& id, const std::string& text) {
    const auto* rule = find_fact_rule(rules_, id);
    if (rule == nullptr || (rule->tier == Tier::static_ && !rule->asked)) return;
    const auto value = value_of(text, rule->type);
    if (!value) return;
    auto gpus = trace.planned.gpus;
    if (rule->subject == SubjectKind::gpu && gpus.size() > 1) {
      const auto& ranks = trace.planned.step.ranks;
      const auto at = std::find(ranks.begin(), ranks.end(), result.rank);
      if (at == ranks.end()) return;
      gpus = {gpus[static_cast<std::size_t>(at - ranks.begin())]};
    }
    Fact fact{id, subject_of(*trace.planned.rung, *rule, gpus), *value, Tier::queried, {}, {}};
    fact.evidence =
        "asked of the " + trace.run.backend + " runtime" + (result.reason.empty() ? "" : ": " + result.reason);
    add(trace, std::move(fact));
  }

  void rates(Trace& trace) {
    if (!speaks(trace) || trace.run.state != ProbeState::passed) return;
    const auto& rung = trace.planned.rung->id;
    const auto& run = trace.run;
    if (rung == "host.copy_rate") {
      number(trace, "host.copy_rate", run.gbytes_per_s);
    } else if (rung == "p2p.write" && run.op == "copy-engine") {
      number(trace, "p2p.rate", run.gbytes_per_s);
    } else if (rung == "ccl.latency") {
      number(trace, "ccl.latency", run.latency_us);
      number(trace, "ccl.bandwidth", run.bus_gbytes_per_s);
      const auto way = run.transport.substr(0, run.transport.find('/'));
      if (!way.empty()) measured(trace, "ccl.transport", way);
    }
  }

  void number(Trace& trace, const std::string& id, const Known<double>& value) {
    if (value.is_known()) measured(trace, id, value.value());
  }

  void measured(Trace& trace, const std::string& id, FactValue value) {
    const auto* rule = find_fact_rule(rules_, id);
    if (rule == nullptr) return;
    Fact fact{id, subject_of(*trace.planned.rung, *rule, trace.planned.gpus), std::move(value), Tier::probed, {}, {}};
    fact.evidence = "measured by " + what_was_done(trace);
    add(trace, std::move(fact));
  }

  void add(Trace& trace, Fact fact) {
    const auto name = reference(fact);
    const auto same = std::find_if(facts_.begin(), facts_.end(), [&](const Fact& f) { return reference(f) == name; });
    if (same == facts_.end()) {
      facts_.push_back(std::move(fact));
    } else if (same->value != fact.value) {
      same->value = Known<FactValue>::unknown(Reason::disagreement);
      return;
    }
    // A rank may well have answered before another one of the step failed: its word counts, but the run shows nothing.
    if (trace.run.state != ProbeState::passed) return;
    if (std::find(trace.run.facts.begin(), trace.run.facts.end(), name) == trace.run.facts.end()) {
      trace.run.facts.push_back(name);
    }
  }

  std::vector<Trace>& traces_;
  const Rules& rules_;
  std::vector<Fact> facts_;
  std::set<std::string> done_;
};

}  // namespace

bool has_passed(const std::vector<Trace>& traces, const std::string& rung, const std::vector<Address>& gpus) {
  // A rung about single GPUs or about pairs has to hold for every one of the GPUs that are looked at.
  const auto* wanted = find_rung(rung);
  if (wanted == nullptr) return false;
  std::vector<std::vector<Address>> subjects;
  if (wanted->who == Who::each) {
    for (const auto& gpu : gpus) subjects.push_back({gpu});
  } else {
    subjects.push_back(members(*wanted, gpus));
  }
  return std::all_of(subjects.begin(), subjects.end(), [&](const std::vector<Address>& subject) {
    bool any = false;
    for (const auto& trace : traces) {
      if (!speaks(trace) || trace.planned.rung != wanted || members(*wanted, trace.planned.gpus) != subject) continue;
      if (trace.run.state != ProbeState::passed || says_no(trace)) return false;
      any = true;
    }
    return any;
  });
}

std::vector<Fact> facts_of(std::vector<Trace>& traces, const Rules& rules) { return Facts(traces, rules).take(); }

}  // namespace gpucoop::probe
