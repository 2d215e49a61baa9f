#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/list.hpp"
#include "collective_library.hpp"
#include "command.hpp"
#include "judge/requirements.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "probe/groups.hpp"
#include "probe/interrupt.hpp"
#include "probe/kernel_tail.hpp"
#include "probe/release.hpp"
#include "probe/run.hpp"
#include "probe_options.hpp"
#include "probe_plan.hpp"
#include "probe_progress.hpp"
#include "probe_safety.hpp"
#include "probe_target.hpp"
#include "rank_program.hpp"
#include "render/probe.hpp"
#include "rules_option.hpp"
#include "streams.hpp"
#include "wire/arena.hpp"
#include "wire/injection.hpp"

namespace gpucoop {
namespace {

// Larger copies within the memory of this host show nothing more.
constexpr std::uint64_t kMostSimulatedCopy = std::uint64_t{2} << 20U;
/// The largest operand of any step, which the memory of simulated devices is laid out for.
constexpr std::uint64_t kLargest = std::uint64_t{64} << 20U;

constexpr std::chrono::milliseconds kLeastStart{10000};

constexpr const char* kInjected = "probe.injected";

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// A fault in a group that does not exist, or that its rank is not in, would never happen.
std::optional<Error> check_group(const wire::Injection& fault, const probe::Layout& layout) {
  if (!fault.in_group()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& division : probe::divide(layout)) {
    for (const auto& group : division.groups) {
      for (const auto rank : group.ranks) {
        if (fault.strikes(rank, {}, {}, group.name)) return std::nullopt;
      }
      const auto& ranks = group.ranks;
      const bool in = !fault.rank || std::find(ranks.begin(), ranks.end(), *fault.rank) != ranks.end();
      if (in) names.push_back(group.name);
    }
  }
  const auto what = fault.rank ? fmt::format("rank {} is in no group `{}`", *fault.rank, fault.where)
                               : fmt::format("there is no group `{}`", fault.where);
  const auto next = names.empty() ? "groups come with --groups, on 4 GPUs or more"
                                  : fmt::format("with {} the groups{} are {}", to_string(layout),
                                                fault.rank ? " of this rank" : "", list_in_words(names));
  return Error{ExitCode::usage, what, "--inject " + to_string(fault), next};
}

Result<probe::RunSetup> setup_of(const ProbeOptions& options, const ProbeTarget& target) {
  probe::RunSetup setup;
  auto& wish = setup.wish;
  wish.devices = target.devices;
  wish.backend = target.backend;
  wish.areas = areas_of(options);
  wish.wide = options.all;
  if (target.simulated) wish.most_bytes = kMostSimulatedCopy;
  setup.ceilings = ceilings_of(target.topology);
  if (options.groups) {
    auto layout = probe::parse_layout(*options.groups);
    if (!layout) return layout.error();
    const auto wanted = layout.value().ranks();
    if (wanted != target.devices.size()) {
      return Error{
          ExitCode::usage,
          fmt::format("--groups {}: that is {} GPUs, and there are {}", *options.groups, wanted, target.devices.size()),
          "", target.simulated ? fmt::format("add --ranks {}", wanted) : "choose them with --gpus"};
    }
    wish.layout = layout.value();
  }
  auto& team = setup.team;
  if (options.timeout) {
    wish.timeout = milliseconds_of(*options.timeout);
    // To start takes as long as the driver wants, so that short deadlines of steps are not for it.
    team.start_deadline = std::clamp(*wish.timeout, kLeastStart, team.start_deadline);
  }
  wish.soak = std::chrono::seconds(options.soak);
  setup.budget = milliseconds_of(options.budget);
  team.backend = target.backend;
  for (const auto& device : target.devices) team.devices.push_back(to_string(device));
  if (target.simulated) {
    team.arena_bytes = wire::arena_bytes_for(static_cast<unsigned>(target.devices.size()), kLargest);
  }
  const auto count = static_cast<unsigned>(target.devices.size());
  for (const auto& text : options.inject) {
    auto fault = wire::parse_injection(text, count);
    if (!fault) return fault.error();
    if (auto error = check_group(fault.value(), wish.layout.value_or(probe::usual_layout(count)))) return *error;
    setup.injected.push_back(to_string(fault.value()));
    team.arguments.insert(team.arguments.end(), {"--inject", setup.injected.back()});
  }
  return setup;
}

std::string rendered(const Report& report, const probe::RunSetup& setup, const OutputOptions& options) {
  if (options.format == Format::json) return render_json(report);
  if (options.quiet) return render_probe_line(report, setup.injected);
  TextOptions text;
  text.color = wants_color(options);
  text.verbose = options.verbose;
  // The text names injected faults on its first lines.
  auto shown = report;
  std::erase_if(shown.topology.warnings, [](const Warning& w) { return w.code == kInjected; });
  return render_probe_text(shown, setup.injected, text);
}

probe::RunEnd climb(const probe::RunSetup& setup, const Rules& rules, ProbeSafety& safety, bool quiet) {
  ProbeProgress progress(quiet);
  probe::KernelTail kernel;
  probe::Surroundings around;
  around.start = [](const probe::TeamSetup& team, probe::StepEnd& how, const std::function<bool()>& tick) {
    return probe::Team::start(team, how, tick);
  };
  around.guard = [&] { return safety.check(rules); };
  around.begins = [&](const probe::Planned& planned, const std::string&) { return safety.begins(planned); };
  around.ended = [&](const ProbeRun& run) { safety.ended(run); };
  around.kernel_lines = [&] { return kernel.take(rules); };
  if (setup.wish.backend != "host") {
    around.released = [](const std::vector<std::int32_t>& ended, const std::function<bool()>& tick) {
      return probe::wait_until_released(ended, probe::kReleaseTime, tick);
    };
  }
  around.tick = [&](const probe::Now& now) {
    progress.show(now);
    return probe::Interrupt::caught() == 0;
  };
  around.told = [&](const ProbeRun& run) { progress.tell(run); };
  return probe::climb(setup, rules, around);
}

Measurements measurements_of(probe::RunEnd& end, const probe::RunSetup& setup) {
  Measurements measured;
  measured.taken_at = current_time();
  measured.simulated = setup.wish.backend == "host" || !setup.injected.empty();
  measured.runs = std::move(end.runs);
  // What ranks of real GPUs say under a fault is true of no GPU.
  if (setup.wish.backend == "host" || setup.injected.empty()) measured.facts = std::move(end.facts);
  return measured;
}

ExitCode run_probe(const ProbeOptions& options) {
  // First of all: whoever ends it early gets a report that says so. To the end of the process: a signal that comes when
  // the report is out must not take its exit code away.
  static const auto* const interrupt = new probe::Interrupt;
  static_cast<void>(interrupt);
  if (const auto error = conflict(options)) return fail(*error);
  const auto loaded = load_rules_of(options.rules);
  if (!loaded) return fail(loaded.error());
  const Rules& rules = *loaded.value();
  const auto target = choose_target(options, rules);
  if (!target) return fail(target.error());
  auto setup = setup_of(options, target.value());
  if (!setup) return fail(setup.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  if (options.dry_run) {
    const auto text = render_dry_run(target.value(), setup.value(), options.output, rules);
    if (!text) return fail(text.error());
    if (const auto error = output.value().finish(text.value())) return fail(*error);
    return ExitCode::ok;
  }
  auto program = find_rank_program();
  if (!program) return fail(program.error());
  auto& team = setup.value().team;
  team.executable = std::move(program).value();
  auto library = choose_collective_library(options, target.value().backend);
  if (!library) return fail(library.error());
  if (!library.value().file.empty()) {
    team.arguments.insert(team.arguments.end(), {"--library", library.value().file});
  }
  auto safety = ProbeSafety::begin(target.value(), options, team.executable);
  if (!safety) return fail(safety.error());
  auto end = climb(setup.value(), rules, safety.value(), options.output.quiet);
  const auto code = probe::exit_code_of(end.runs);
  safety.value().look_at_driver(end.runs, rules);
  auto report = report_of(target.value(), measurements_of(end, setup.value()), rules);
  if (!report) return fail(report.error());
  auto& warnings = report.value().topology.warnings;
  for (const auto& fault : setup.value().injected) {
    warnings.push_back({kInjected, "A fault was injected: " + fault + ".", {}});
  }
  for (const auto& warning : library.value().warnings) warnings.push_back(warning);
  const auto& noted = safety.value().warnings();
  warnings.insert(warnings.end(), noted.begin(), noted.end());
  if (const auto error = output.value().finish(rendered(report.value(), setup.value(), options.output))) {
    return fail(*error);
  }
  safety.value().told();
  if (end.stopped) print_error(*end.stopped);
  if (end.interrupted) {
    print_note("interrupted: what was not reached is marked as skipped");
    return ExitCode::interrupted;
  }
  return end.stopped ? gravest({code, end.stopped->code}) : code;
}

}  // namespace

void add_probe(CLI::App& app, Action& action) {
  auto options = std::make_shared<ProbeOptions>();
  CLI::App* command = app.add_subcommand("probe", "Try what the GPUs can do together");
  add_probe_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_probe(*options); }; });
}

}  // namespace gpucoop
