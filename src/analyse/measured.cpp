#include "analyse/measured.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace gpucoop {
namespace {

/// The same for every order of a set's members; the direction of a pair stays.
std::string key_of(const Fact& fact) {
  Fact named;
  named.id = fact.id;
  named.subject = fact.subject;
  if (fact.subject.kind == SubjectKind::set) std::sort(named.subject.of.begin(), named.subject.of.end());
  return std::string(to_string(fact.subject.kind)) + ' ' + reference(named);
}

/// Reports round numbers to three decimals.
bool same_value(const Known<FactValue>& a, const Known<FactValue>& b) {
  if (a.is_known() && b.is_known()) {
    const auto* x = std::get_if<double>(&a.value());
    const auto* y = std::get_if<double>(&b.value());
    constexpr double kRounding = 0.001;
    if (x != nullptr && y != nullptr) return std::abs(*x - *y) <= kRounding;
  }
  return a == b;
}

std::string in_words(const Known<FactValue>& value) {
  if (!value.is_known()) return value.is_absent() ? "none" : "unknown";
  if (const auto* b = std::get_if<bool>(&value.value())) return *b ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value.value())) return *text;
  auto number = std::to_string(std::get<double>(value.value()));
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

bool right_type(const Fact& fact, const FactRule& rule) {
  if (!fact.value.is_known()) return true;
  const auto& value = fact.value.value();
  switch (rule.type) {
    case FactType::boolean: return std::holds_alternative<bool>(value);
    case FactType::number: return std::holds_alternative<double>(value);
    case FactType::text: return std::holds_alternative<std::string>(value);
  }
  return false;
}

class Adder {
 public:
  Adder(Topology& topology, const Measurements& measured, const Rules& rules)
      : topology_(topology), measured_(measured), rules_(rules) {}

  Status run() {
    if (auto error = other_host()) return error;
    if (auto error = other_gpu()) return error;
    if (auto error = at_odds()) return error;
    for (std::size_t i = 0; i < topology_.facts.size(); ++i) places_.emplace(key_of(topology_.facts[i]), i);
    for (const auto& run : measured_.runs) {
      for (const auto& fact : run.facts) run_of_.emplace(fact, &run);
    }
    for (const auto& fact : measured_.facts) add(fact);
    if (left_out_ > 0) {
      topology_.warnings.push_back(
          {"probe-results.left-out",
           "Results of probes that this version cannot use are left out: " + first_left_out_ +
               (left_out_ > 1 ? " and " + std::to_string(left_out_ - 1) + " more" : std::string()) + ".",
           {}});
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] Status other_host() const {
    const auto& here = topology_.host.fingerprint;
    if (!here.empty() && here == measured_.fingerprint) return std::nullopt;
    const auto shown = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
    return Error{ExitCode::bad_input,
                 "the results of probes are of another host: its fingerprint is " + shown(measured_.fingerprint) +
                     ", that of this host is " + shown(here),
                 "", "give results of this very host as it is now (cards, slots and bridges count), or probe it again"};
  }

  [[nodiscard]] Status other_gpu() const {
    const auto foreign = [&](const Address& address) { return find_gpu(topology_, address) == nullptr; };
    for (const auto& fact : measured_.facts) {
      for (const auto& address : fact.subject.of) {
        if (foreign(address)) return no_gpu(to_string(address), "the fact " + fact.id);
      }
    }
    for (const auto& run : measured_.runs) {
      for (const auto& gpu : run.gpus) {
        const auto address = parse_device(gpu);
        if (!address || foreign(*address)) return no_gpu(gpu, "a run of " + run.rung);
      }
    }
    return std::nullopt;
  }

  static Error no_gpu(const std::string& address, const std::string& what) {
    return not_as_made(address + " is no GPU of this host, but " + what + " names it");
  }

  static Error not_as_made(std::string what) {
    return {ExitCode::bad_input, std::move(what), "", "give the report of the probe as it was made"};
  }

  /// Results that contradict themselves are none: not even what they leave open can be trusted.
  [[nodiscard]] Status at_odds() const {
    std::map<std::string, const Fact*> said;
    std::map<std::string, const Fact*> named;
    for (const auto& fact : measured_.facts) {
      if (fact.value.is_unknown()) continue;
      const auto [place, added] = said.emplace(key_of(fact), &fact);
      const auto& other = *place->second;
      if (!added && other.tier == fact.tier && !same_value(other.value, fact.value)) {
        return not_as_made("the results of probes say of " + reference(fact) + " both " + in_words(other.value) +
                           " and " + in_words(fact.value));
      }
      named.emplace(reference(fact), &fact);
    }
    std::set<std::string> passed;
    for (const auto& run : measured_.runs) {
      if (run.state == ProbeState::passed) passed.insert(run.facts.begin(), run.facts.end());
    }
    for (const auto& run : measured_.runs) {
      for (const auto& name : run.facts) {
        if (passed.count(name) != 0) continue;
        const auto found = named.find(name);
        if (auto error = unfounded(run, name, found == named.end() ? nullptr : found->second)) return error;
      }
    }
    return std::nullopt;
  }

  /// A run that did not pass, and the fact that it names; `fact` is null where the results lack it.
  [[nodiscard]] Status unfounded(const ProbeRun& run, const std::string& name, const Fact* fact) const {
    const auto who = "a run of " + run.rung + (run.op.empty() ? "" : " (" + run.op + ")") + " whose state is `" +
                     std::string(to_string(run.state)) + "` names " + name;
    switch (run.state) {
      case ProbeState::passed: return std::nullopt;
      case ProbeState::skipped:
      case ProbeState::invalid:
      case ProbeState::inconclusive:
        if (fact != nullptr) return not_as_made(who + ", but such a run establishes nothing");
        return std::nullopt;
      case ProbeState::failed:
      case ProbeState::wrong_data:
      case ProbeState::crashed:
        if (fact == nullptr && find_fact_rule(rules_, name.substr(0, name.find('@'))) != nullptr) {
          return not_as_made(who + ", but no fact says what came of it");
        }
        break;
      case ProbeState::refused:
      case ProbeState::hung: break;
    }
    if (fact == nullptr || !fact->value.is(FactValue(true))) return std::nullopt;
    return not_as_made(who + ", but the fact says that it holds");
  }

  void add(const Fact& fact) {
    const auto* rule = find_fact_rule(rules_, fact.id);
    const bool usable = rule != nullptr && (rule->tier != Tier::static_ || rule->asked) && fact.tier != Tier::static_ &&
                        rule->subject == fact.subject.kind && right_type(fact, *rule);
    if (!usable) {
      if (left_out_++ == 0) first_left_out_ = reference(fact);
      return;
    }
    if (fact.value.is_unknown()) return;
    Fact own = fact;
    if (own.evidence.empty()) own.evidence = evidence_of(fact);
    const auto [place, added] = places_.emplace(key_of(fact), topology_.facts.size());
    if (added) {
      topology_.facts.push_back(std::move(own));
      return;
    }
    join(topology_.facts[place->second], std::move(own));
  }

  void join(Fact& here, Fact measured) {
    measured.subject = here.subject;
    if (measured.tier < here.tier && !here.value.is_unknown()) return;
    const bool disputed = here.value.is_unknown() && here.value.reason() == Reason::disagreement;
    if (measured.tier > here.tier || (here.value.is_unknown() && !disputed)) {
      here = std::move(measured);
      return;
    }
    if (disputed || same_value(here.value, measured.value)) return;
    topology_.warnings.push_back({"probe-results.disagreement",
                                  reference(here) + " is " + in_words(here.value) + " by " + here.evidence + ", but " +
                                      in_words(measured.value) + " by the results of probes (" + measured.evidence +
                                      "): neither is taken.",
                                  here.subject.of.empty() ? std::string() : to_string(here.subject.of.front())});
    here.evidence += "; " + in_words(measured.value) + " by " + measured.evidence;
    here.value = Known<FactValue>::unknown(Reason::disagreement);
  }

  [[nodiscard]] std::string evidence_of(const Fact& fact) const {
    std::string text = "measured on " + measured_.taken_at.substr(0, measured_.taken_at.find('T'));
    const auto found = run_of_.find(reference(fact));
    if (found == run_of_.end()) return text;
    const auto& run = *found->second;
    text += " by " + run.rung;
    if (!run.library_name.empty()) {
      text += " (" + run.library_name + (run.library_version.empty() ? "" : " " + run.library_version) + ")";
    }
    return text;
  }

  Topology& topology_;
  const Measurements& measured_;
  const Rules& rules_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, const ProbeRun*> run_of_;  ///< by the reference of a fact that it established
  std::size_t left_out_ = 0;
  std::string first_left_out_;
};

}  // namespace

Status add_measurements(Topology& topology, const Measurements& measured, const Rules& rules) {
  if (measured.empty()) return std::nullopt;
  return Adder(topology, measured, rules).run();
}

}  // namespace gpucoop
