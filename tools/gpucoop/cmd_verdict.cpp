#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "cost_options.hpp"
#include "gpu_selection.hpp"
#include "judge/requirements.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "render/junit.hpp"
#include "render/verdict.hpp"
#include "requirement_words.hpp"
#include "rules/rules.hpp"
#include "rules_option.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

struct VerdictOptions {
  std::vector<std::string> require;
  std::string engine;
  std::optional<std::string> gpus;
  bool accept_expected = false;
  std::string probe_results;
  CostOptions cost;
  RulesOptions rules;
  InputOptions input;
  OutputOptions output;
};

std::string rendered(const Report& report, const Verdict& verdict, const OutputOptions& options) {
  if (options.format == Format::json) return render_verdict_json(report, verdict);
  if (options.format == Format::junit) return render_junit(report, verdict);
  if (options.quiet) return render_verdict_line(report, verdict);
  TextOptions text;
  text.color = wants_color(options);
  text.verbose = options.verbose;
  return render_verdict_text(report, verdict, text);
}

ExitCode run_verdict(const VerdictOptions& options) {
  if (const auto error = conflict(options.output)) return fail(*error);
  if (const auto error = conflict(options.input)) return fail(*error);
  const auto loaded = load_rules_of(options.rules);
  if (!loaded) return fail(loaded.error());
  const Rules& rules = *loaded.value();
  const auto work = workload_of(options.cost, rules);
  if (!work) return fail(work.error());
  const auto requirements = parse_requirements(options.require, options.engine, rules);
  if (!requirements) return fail(requirements.error());
  std::optional<GpuSelection> selection;
  if (options.gpus) {
    auto parsed = parse_gpu_selection(*options.gpus);
    if (!parsed) return fail(parsed.error());
    selection = std::move(parsed).value();
  }
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  auto report = load_report(options.input, rules, options.probe_results, selection);
  if (!report) return fail(report.error());
  const auto none = no_gpu(report.value());
  if (work.value()) report.value().judgement.costs = estimates(report.value(), rules, *work.value());
  RequirementOptions judging;
  judging.gpus_chosen = selection.has_value();
  judging.accept_expected = options.accept_expected;
  auto verdict = judge_requirements(report.value(), rules, requirements.value(), judging);
  if (none) verdict.exit_code = gravest({verdict.exit_code, none->code});
  if (const auto error = output.value().finish(rendered(report.value(), verdict, options.output))) return fail(*error);
  if (none) print_error(*none);
  return verdict.exit_code;
}

}  // namespace

void add_verdict(CLI::App& app, Action& action) {
  auto options = std::make_shared<VerdictOptions>();
  CLI::App* command = app.add_subcommand("verdict", "Whether the host can do what is required");
  command
      ->add_option("--require", options->require,
                   "What the GPUs must be able to do, with =N at\nleast N of them; repeat it for more. `gpucoop\n"
                   "explain` lists the modes.")
      ->type_name("MODE[=N]")
      ->allow_extra_args(false);
  command->add_option("--engine", options->engine, "Judge the ways in which this engine does it")->type_name("NAME");
  command
      ->add_option("--gpus", options->gpus,
                   "Judge these GPUs: places in the report's list\n(0,1,3 or 0-3) or addresses (0b:00.0,0c:00.0)")
      ->type_name("SET");
  command
      ->add_option_function<std::string>(
          "--accept", [options](const std::string&) { options->accept_expected = true; },
          "Take what is expected for the answer where\nnothing has proven it")
      ->type_name("expected")
      ->check([](const std::string& word) {
        return word == "expected" ? std::string() : "'" + word + "' is not the word `expected`";
      });
  add_input_options(*command, options->input);
  add_library_options(*command, options->input);
  command
      ->add_option("--probe-results", options->probe_results,
                   "What probes measured on this host: a report or\nrecording that holds it")
      ->type_name("FILE");
  add_cost_options(*command, options->cost);
  add_rules_options(*command, options->rules);
  add_output_options(*command, options->output, true);
  command->callback([options, &action] { action = [options] { return run_verdict(*options); }; });
}

}  // namespace gpucoop
