#include "judge/requirements.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "judge/judge.hpp"
#include "judge/words.hpp"

namespace gpucoop {

namespace {

struct Context {
  const Report& report;
  const Rules& rules;
  RequirementOptions options;
};

/// How good an answer is. Where expectations count, an expected yes is as good as it gets below a proven one.
int rank(const RequirementVerdict& verdict, bool accept_expected) {
  switch (verdict.state) {
    case ModeState::yes: return 7;
    case ModeState::degraded: return 5;
    case ModeState::no: return 0;
    case ModeState::unknown: break;
  }
  switch (verdict.expected.value_or(ModeState::unknown)) {
    case ModeState::yes: return accept_expected ? 6 : 4;
    case ModeState::degraded: return 3;
    case ModeState::unknown: return 2;
    case ModeState::no: return 1;
  }
  return 2;
}

bool all_listed(const Context& context) {
  return context.options.gpus_chosen || context.report.topology.listing_complete.is(true);
}

/// What can be said of a host, or a set of it, that has fewer GPUs than it takes.
RequirementVerdict too_few(const Context& context, const std::vector<Address>& set, unsigned at_least) {
  RequirementVerdict verdict;
  verdict.set = set;
  const std::string there = set.empty()       ? "none that can be used is there"
                            : set.size() == 1 ? "only " + list_of(set, 4) + " is there"
                                              : fmt::format("only {} are there ({})", set.size(), list_of(set, 4));
  verdict.why = set.empty() && at_least < 2
                    ? "no GPU that can be used is there"
                    : fmt::format("{} GPU{} required and {}", at_least, at_least == 1 ? " is" : "s are", there);
  if (all_listed(context)) {
    verdict.state = ModeState::no;
  } else {
    verdict.expected = Known<ModeState>::unknown(Reason::not_in_input);
    verdict.why += ", but the input may not list every GPU of the host";
  }
  return verdict;
}

RequirementVerdict taken_from(const Answer& judged) {
  RequirementVerdict verdict;
  static_cast<Answer&>(verdict) = judged;
  return verdict;
}

void add_mode(const Context& context, const Requirement& wanted, const ModeVerdict& mode,
              std::vector<RequirementVerdict>& answers) {
  const unsigned at_least = wanted.at_least.value_or(0);
  if (mode.set.size() < at_least) {
    answers.push_back(too_few(context, mode.set, at_least));
    return;
  }
  answers.push_back(taken_from(mode));
  answers.back().best = mode.best;
  if (!wanted.at_least || !mode.best || mode.best->gpus.size() < at_least) return;
  RequirementVerdict part;
  part.set = mode.best->gpus;
  part.part = true;
  part.state = mode.best->state;
  part.expected = mode.best->expected;
  part.why = fmt::format("{} of the {} GPUs are enough, without {}: {}", part.set.size(), mode.set.size(),
                         list_of(without(mode.set, part.set), 8), mode.best->why);
  answers.push_back(std::move(part));
}

/// ` on AMD GPUs`; nothing where the maker is not known.
std::string on_vendor(const Context& context, const std::vector<Address>& set) {
  const Gpu* gpu = set.empty() ? nullptr : find_gpu(context.report.topology, set.front());
  const auto name = gpu == nullptr ? std::string_view() : vendor_name(to_string(gpu->vendor));
  return name.empty() ? std::string() : fmt::format(" on {} GPUs", name);
}

/// The rules know no way in which the engine does it, here or at all.
RequirementVerdict no_way(const Context& context, const Requirement& wanted, const std::vector<Address>& set) {
  RequirementVerdict verdict;
  verdict.set = set;
  verdict.state = ModeState::no;
  const EngineRule* engine = find_engine(context.rules, wanted.engine);
  const std::string name = engine == nullptr ? wanted.engine : engine->title;
  const auto& rows = context.rules.engine_modes;
  const bool elsewhere = std::any_of(rows.begin(), rows.end(), [&](const EngineModeRule& row) {
    return row.engine == wanted.engine && row.mode == wanted.mode;
  });
  verdict.why = fmt::format("no way is known in which {} does {}{}", name, wanted.mode,
                            elsewhere ? on_vendor(context, set) : std::string());
  return verdict;
}

/// The ways of the engine over the best part of the set, where that is large enough. Nobody has judged them yet:
/// engines are judged over whole sets.
void add_ways_of_part(const Context& context, const Requirement& wanted, const std::vector<Address>& set,
                      std::vector<RequirementVerdict>& answers) {
  for (const ModeVerdict& mode : context.report.judgement.modes) {
    if (mode.id != wanted.mode || mode.set != set || !mode.best) continue;
    for (RequirementVerdict& answer : answers) {
      if (answer.set == set) answer.best = mode.best;
    }
    if (!wanted.at_least || mode.best->gpus.size() < *wanted.at_least) return;
    JudgeOptions only;
    only.gpus = mode.best->gpus;
    for (const EngineVerdict& way : judge(context.report.topology.facts, context.rules, only).engines) {
      if (way.engine != wanted.engine || way.mode != wanted.mode) continue;
      answers.push_back(taken_from(way));
      answers.back().way = way;
      answers.back().part = true;
      answers.back().why = fmt::format("{} of the {} GPUs are enough; {}", way.set.size(), set.size(), way.why);
    }
    return;
  }
}

void add_engine(const Context& context, const Requirement& wanted, const std::vector<Address>& set,
                std::vector<RequirementVerdict>& answers) {
  if (set.size() < wanted.at_least.value_or(0)) {
    answers.push_back(too_few(context, set, *wanted.at_least));
    return;
  }
  bool any = false;
  for (const EngineVerdict& way : context.report.judgement.engines) {
    if (way.engine != wanted.engine || way.mode != wanted.mode || way.set != set) continue;
    any = true;
    answers.push_back(taken_from(way));
    answers.back().way = way;
  }
  if (!any) answers.push_back(no_way(context, wanted, set));
  if (any) add_ways_of_part(context, wanted, set, answers);
}

/// The probe that hung where it was to show what decides; null where none did. An unknown rests on all that it names.
const ProbeRun* hung_probe(const Report& report, const RequirementVerdict& verdict) {
  const auto& decided = verdict.decided_by;
  if (decided.empty() || (verdict.state != ModeState::no && verdict.state != ModeState::unknown)) return nullptr;
  const auto end = verdict.state == ModeState::no ? decided.begin() + 1 : decided.end();
  const auto found = std::find_if(report.probes.begin(), report.probes.end(), [&](const ProbeRun& run) {
    return run.state == ProbeState::hung &&
           std::find_first_of(decided.begin(), end, run.facts.begin(), run.facts.end()) != end;
  });
  return found == report.probes.end() ? nullptr : &*found;
}

ExitCode code_of(ModeState state) {
  switch (state) {
    case ModeState::yes: return ExitCode::ok;
    case ModeState::degraded: return ExitCode::degraded;
    case ModeState::no: return ExitCode::no;
    case ModeState::unknown: return ExitCode::unknown;
  }
  return ExitCode::unknown;
}

RequirementVerdict answer(const Context& context, const Requirement& wanted) {
  std::vector<RequirementVerdict> answers;
  if (wanted.engine.empty()) {
    for (const ModeVerdict& mode : context.report.judgement.modes) {
      if (mode.id == wanted.mode) add_mode(context, wanted, mode, answers);
    }
  } else {
    for (const GpuSet& set : context.report.judgement.sets) add_engine(context, wanted, set.gpus, answers);
  }
  if (answers.empty()) answers.push_back(too_few(context, {}, wanted.at_least.value_or(1)));
  const bool accept = context.options.accept_expected;
  auto best = *std::max_element(answers.begin(), answers.end(),
                                [accept](const auto& a, const auto& b) { return rank(a, accept) < rank(b, accept); });
  best.requirement = wanted;
  const ProbeRun* hung = hung_probe(context.report, best);
  best.hung = hung != nullptr;
  if (best.hung && best.state == ModeState::unknown) {
    // Nobody waits for it any more, and nothing that is expected stands against what was seen.
    best.expected = Known<ModeState>::unknown(Reason::timeout);
    best.why = fmt::format("a probe of it did not come back ({})", hung->op.empty() ? hung->rung : hung->op);
  }
  const ModeState outlook = likely(best.state, best.expected);
  best.accepted = accept && best.state == ModeState::unknown && outlook != ModeState::unknown;
  best.exit_code = best.hung ? ExitCode::hung : code_of(best.accepted ? outlook : best.state);
  return best;
}

}  // namespace

Verdict judge_requirements(const Report& report, const Rules& rules, const std::vector<Requirement>& requirements,
                           const RequirementOptions& options) {
  const Context context{report, rules, options};
  Verdict verdict;
  std::vector<ExitCode> codes;
  for (const Requirement& wanted : requirements) {
    verdict.requirements.push_back(answer(context, wanted));
    codes.push_back(verdict.requirements.back().exit_code);
  }
  verdict.exit_code = gravest(codes);
  return verdict;
}

}  // namespace gpucoop
