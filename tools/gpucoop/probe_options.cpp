#include "probe_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "wire/board.hpp"

namespace gpucoop {
namespace {

/// A number of seconds above 0, at most a day.
std::string check_seconds(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos && *end == '\0';
  return number && value >= 0.05 && value <= 86400 ? std::string()
                                                   : "'" + text + "' is no number of seconds from 0.05 to 86400";
}

std::string check_whole(const std::string& text, unsigned least, unsigned most) {
  const bool number = !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string::npos;
  const auto value = number ? std::strtoul(text.c_str(), nullptr, 10) : 0;
  return number && value >= least && value <= most
             ? std::string()
             : "'" + text + "' is no number from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

void add_probe_options(CLI::App& command, ProbeOptions& options) {
  command.add_flag("--dispatch", options.dispatch,
                   "Only what one GPU does: kernels, copies, signals\nthrough host memory");
  command.add_flag("--p2p", options.p2p, "Only what two GPUs do without a collective\nlibrary");
  command.add_flag("--collective", options.collective, "Only the collective library");
  command
      .add_option("--groups", options.groups,
                  "Only groups that cross, divided so: tp=2,dp=2\n(tp, pp, dp, ep; order=sglang for SGLang's order)")
      ->type_name("LAYOUT");
  command.add_flag("--all", options.all, "All of it, with every type, operator and setting");
  command
      .add_option("--backend", options.backend,
                  "auto (default): the runtime of the GPUs' vendor;\nhost: processes and memory of this host in\nplace "
                  "of GPUs, on any machine")
      ->type_name("auto|cuda|host")
      ->check([](const std::string& word) {
        return word == "auto" || word == "cuda" || word == "host" ? std::string()
                                                                  : "'" + word + "' is none of auto|cuda|host";
      });
  command.add_option("--ranks", options.ranks, "How many simulated devices (2)")
      ->type_name("N")
      ->check([](const std::string& text) { return check_whole(text, 1, wire::kMostRanks); });
  command
      .add_option("--gpus", options.gpus,
                  "Probe these GPUs: places in the report's list\n(0,1,3 or 0-3) or addresses (0b:00.0,0c:00.0)")
      ->type_name("SET");
  command
      .add_option("--library", options.library,
                  "Load this collective library (libnccl), not the\none that programs here would load")
      ->type_name("FILE");
  command
      .add_option("--env", options.environments,
                  "Look for it in this Python environment first (pip\nor conda); an active one is found without")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_option("--timeout", options.timeout, "Deadline of every step, instead of its own")
      ->type_name("SECONDS")
      ->check(check_seconds);
  command.add_option("--budget", options.budget, "Begin no further step after this time (60)")
      ->type_name("SECONDS")
      ->check(check_seconds);
  command.add_option("--soak", options.soak, "Go on with all-reduces for this time at the end")
      ->type_name("SECONDS")
      ->check([](const std::string& text) { return check_whole(text, 1, 86400); });
  command.add_flag("--allow-display", options.allow_display, "Probe GPUs that show a desktop as well");
  command.add_flag("--force", options.force, "Probe GPUs that others use; what they do there may\nbe lost");
  command.add_flag("--dry-run", options.dry_run, "Print the plan and run nothing");
  command
      .add_option(
          "--inject", options.inject,
          "Let ranks have a fault, to see what is said\nthen: hang, wrong-data, crash, slow, refuse, exit,\n"
          "garbage, spin (a kernel that keeps the GPU busy),\nwith --backend host also global-state; with :rankN\n"
          "and @RUNG or @OPERATION; repeat it for more")
      ->type_name("FAULT")
      ->allow_extra_args(false);
  command.add_option("--from,--sysroot", options.recorded)->group("")->allow_extra_args(false);
  add_rules_options(command, options.rules);
  add_output_options(command, options.output);
}

Status conflict(const ProbeOptions& options) {
  const auto usage = [](const std::string& what, const std::string& next) {
    return Error{ExitCode::usage, what, "", next};
  };
  if (!options.recorded.empty()) {
    return usage("a recorded host cannot be probed: a probe runs on the GPUs themselves",
                 "on that host: gpucoop probe --format json -o results.json\n"
                 "and here: gpucoop verdict --from FILE --probe-results results.json");
  }
  const bool host = options.backend == "host";
  if (options.ranks && !host) {
    return usage("--ranks is for simulated devices", "add --backend host, or choose GPUs with --gpus");
  }
  if (options.gpus && host) return usage("--gpus chooses GPUs, and --backend host uses none", "leave one out");
  const bool state = std::any_of(options.inject.begin(), options.inject.end(),
                                 [](const std::string& fault) { return fault.rfind("global-state", 0) == 0; });
  if (state && !host) return usage("global-state is a fault of simulated devices", "add --backend host");
  if (host && (options.library || !options.environments.empty())) {
    return usage("--library and --env choose what GPUs are probed with, and --backend host uses none",
                 "leave them out");
  }
  if (options.library && !options.environments.empty()) {
    return usage("--env says where to look for a library, and --library names it already", "leave one out");
  }
  if (options.all && (options.dispatch || options.p2p || options.collective)) {
    return usage("--all and a part of it exclude each other", "leave one out");
  }
  return conflict(options.output);
}

std::set<probe::Area> areas_of(const ProbeOptions& options) {
  std::set<probe::Area> areas;
  if (options.all) return areas;
  if (options.dispatch) areas.insert(probe::Area::dispatch);
  if (options.p2p) areas.insert(probe::Area::p2p);
  if (options.collective) areas.insert({probe::Area::collective, probe::Area::rates});
  if (options.groups) areas.insert(probe::Area::groups);
  return areas;
}

}  // namespace gpucoop
