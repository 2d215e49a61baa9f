#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "command.hpp"
#include "judge/diff.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "render/diff.hpp"
#include "rules/rules.hpp"
#include "rules_option.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

struct DiffOptions {
  std::string before;
  std::string after;
  RulesOptions rules;
  OutputOptions output;
};

Result<Report> load_side(const std::string& file, const Rules& rules) {
  auto report = load_reading(file, rules);
  if (report || report.error().next.find("--dump") == std::string::npos) return report;
  // Here one file is one host.
  Error error = report.error();
  error.next = "take the host that you mean: gpucoop record --from " + file + " --dump N -o host.json";
  return error;
}

bool has_simulated(const Report& report) {
  const auto& gpus = report.topology.gpus;
  return std::any_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return is_simulated(gpu.address); });
}

Status nothing_in_common(const DiffOptions& options, const Report& before, const Report& after) {
  if (has_simulated(before) == has_simulated(after)) return std::nullopt;
  return Error{ExitCode::bad_input,
               "is of simulated devices, and the other reading is of a real host: they have nothing in common",
               has_simulated(before) ? options.before : options.after,
               "compare it with another report of gpucoop probe --backend host"};
}

std::string rendered(const Diff& diff, const OutputOptions& options) {
  if (options.format == Format::json) return render_diff_json(diff);
  TextOptions text;
  text.color = wants_color(options);
  text.verbose = options.verbose;
  return render_diff_text(diff, text);
}

ExitCode run_diff(const DiffOptions& options) {
  if (const auto error = conflict(options.output)) return fail(*error);
  if (options.before == "-" && options.after == "-") {
    return fail({ExitCode::usage, "standard input can be read only once", "", "name a file for one of the two"});
  }
  if (options.output.quiet && !options.output.file.empty()) {
    return fail({ExitCode::usage, "--quiet prints nothing, so there is nothing to write to a file", "",
                 "leave -o or --quiet out"});
  }
  const auto rules = load_rules_of(options.rules);
  if (!rules) return fail(rules.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  const auto before = load_side(options.before, *rules.value());
  if (!before) return fail(before.error());
  const auto after = load_side(options.after, *rules.value());
  if (!after) return fail(after.error());
  if (auto error = nothing_in_common(options, before.value(), after.value())) return fail(*error);
  const auto found = diff(before.value(), after.value(), *rules.value(), options.output.verbose);
  if (!options.output.quiet) {
    if (const auto error = output.value().finish(rendered(found, options.output))) return fail(*error);
  }
  return found.empty() ? ExitCode::ok : ExitCode::no;
}

}  // namespace

void add_diff(CLI::App& app, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand("diff", "What changed between two readings of a host");
  command
      ->add_option("A", options->before,
                   "The earlier reading: a recording, a report in JSON\nor what else --from "
                   "reads; `-` is standard input")
      ->type_name("FILE")
      ->required();
  command->add_option("B", options->after, "The later one")->type_name("FILE")->required();
  add_rules_options(*command, options->rules);
  add_output_options(*command, options->output);
  command->get_option("--quiet")->description("Print nothing; the exit code says it");
  command->get_option("--verbose")->description("Also facts that no mode rests on");
  command->callback([options, &action] { action = [options] { return run_diff(*options); }; });
}

}  // namespace gpucoop
