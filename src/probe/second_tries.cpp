#include "probe/second_tries.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "probe/variants.hpp"

namespace gpucoop::probe {
namespace {

constexpr std::uint32_t kFewRounds = 300;  ///< with simulated devices
constexpr std::size_t kMostTried = 2;      ///< rungs that are tried again under variants

/// What goes on for long is tried again for twice as long as it took to fail, as far as that can be waited for.
void shorten(Planned& again, const ProbeRun& failed) {
  constexpr double kLeast = 2;
  constexpr double kMost = 30;
  constexpr double kMilliseconds = 1000;
  const auto wanted = std::chrono::milliseconds(
      static_cast<std::int64_t>(kMilliseconds * std::clamp(2 * failed.seconds.value_or(0), kLeast, kMost)));
  set_soak(again, std::min(wanted, again.deadline));
}

/// `works between host:0 and host:1, host:0 and host:2`; empty for no pair.
std::string pairs_in_words(const char* what, const std::vector<std::string>& pairs) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(pairs.size(), kMost); ++i) text += (i == 0 ? what : ", ") + pairs[i];
  if (pairs.size() > kMost) text += " and " + std::to_string(pairs.size() - kMost) + " other pairs";
  return text;
}

}  // namespace

void SecondTries::variants(const Planned& planned, std::size_t at) {
  if (tried_.size() >= kMostTried || !tried_.insert(planned.rung->id).second) return;
  std::vector<Tried> tried;
  for (const auto* variant : variants_for(rules_, library_name())) {
    if (!goes_on(tried) || attempts_.over()) break;
    auto again = planned;
    again.step.id = attempts_.new_ids();
    if (setup_.wish.most_bytes > 0) again.step.rounds = std::min(again.step.rounds, kFewRounds);
    if (planned.rung->area == Area::soak) shorten(again, attempts_.traces()[at].run);
    auto context = attempts_.usual();
    context.variant = settings_in_words(*variant);
    if (!attempts_.in_budget()) {
      attempts_.skip(again, kBudgetReason, context);
      tried.push_back({variant, ProbeState::skipped});
      continue;
    }
    attempts_.end_team();
    auto trace = attempts_.run(again, context, with_settings(setup_.team, *variant));
    attempts_.forgive_start();
    auto& run = trace.run;
    tried.push_back({variant, run.state == ProbeState::inconclusive ? ProbeState::skipped : run.state});
    if (variant->control && is_failure(run.state)) {
      run.reason = std::string(to_string(run.state)) + " as well: " + run.reason;
      run.state = ProbeState::inconclusive;
    }
    attempts_.keep(std::move(trace));
    attempts_.end_team();
  }
  const auto diagnosis = diagnose(tried);
  if (!diagnosis.finding.empty()) attempts_.traces()[at].run.findings.push_back(diagnosis.finding);
  if (planned.rung->id != "ccl.allreduce" || diagnosis.kind != Diagnosis::Kind::cured) return;
  cure_ = settings_in_words(*diagnosis.cure);
}

std::string SecondTries::library_name() const {
  for (const auto& trace : attempts_.traces()) {
    if (!trace.run.library_name.empty()) return trace.run.library_name;
  }
  return setup_.wish.backend == "host" ? "host" : "";
}

void SecondTries::pairs(std::size_t at) {
  const auto& devices = setup_.wish.devices;
  if (devices.size() < 3) return;
  std::vector<std::string> good;
  std::vector<std::string> bad;
  for (unsigned a = 0; a < devices.size(); ++a) {
    for (unsigned b = a + 1; b < devices.size(); ++b) {
      const auto state = try_pair(a, b);
      const auto names = to_string(devices[a]) + " and " + to_string(devices[b]);
      if (state == ProbeState::passed) good.push_back(names);
      if (is_failure(state)) bad.push_back(names);
    }
  }
  const auto works = pairs_in_words("works between ", good);
  const auto fails = pairs_in_words("fails between ", bad);
  if (works.empty() && fails.empty()) return;
  const std::string between = works.empty() || fails.empty() ? "" : "; it ";
  attempts_.traces()[at].run.findings.push_back("by pairs, it " + works + between + fails);
}

ProbeState SecondTries::try_pair(unsigned a, unsigned b) {
  for (const char* rung : {"ccl.init", "ccl.allreduce"}) {
    // The first trial says enough, but each one has its number.
    auto part = plan_part(setup_.wish, *find_rung(rung), {a, b}, 0).front();
    part.step.id = attempts_.new_ids();
    part.step.seed = setup_.wish.seed + part.step.id;
    if (attempts_.over() || !attempts_.in_budget()) {
      const std::string why = attempts_.interrupted()        ? "interrupted"
                              : attempts_.given_up().empty() ? std::string(kBudgetReason)
                                                             : attempts_.given_up();
      attempts_.skip(part, why, attempts_.usual());
      return ProbeState::skipped;
    }
    auto trace = attempts_.run(part, attempts_.usual(), setup_.team);
    const auto state = trace.run.state;
    attempts_.keep(std::move(trace));
    if (state != ProbeState::passed) return state;
  }
  return ProbeState::passed;
}

}  // namespace gpucoop::probe
