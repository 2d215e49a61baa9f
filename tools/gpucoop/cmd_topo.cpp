#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "probe_safety.hpp"
#include "render/render.hpp"
#include "rules_option.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

struct TopoOptions {
  RulesOptions rules;
  InputOptions input;
  OutputOptions output;
};

std::string rendered(const Report& report, const OutputOptions& options) {
  if (options.format == Format::json) return render_json(report);
  TextOptions text;
  text.color = wants_color(options);
  text.verbose = options.verbose;
  return options.quiet ? render_answer(report, text) : render_text(report, text);
}

/// For a person in front of the host itself.
std::string hint(const Report& report, const OutputOptions& options) {
  const bool to_terminal = (options.file.empty() || options.file == "-") && ::isatty(STDOUT_FILENO) == 1;
  const bool whole_text = options.format == Format::text && !options.quiet;
  if (!report.topology.host.live || !to_terminal || !whole_text) return {};
  return "For a bug report, attach host.json from: sudo gpucoop record -o host.json\n";
}

ExitCode run_topo(const TopoOptions& options) {
  if (const auto error = conflict(options.output)) return fail(*error);
  if (const auto error = conflict(options.input)) return fail(*error);
  const auto rules = load_rules_of(options.rules);
  if (!rules) return fail(rules.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  auto report = load_report(options.input, *rules.value());
  if (!report) return fail(report.error());
  if (report.value().topology.host.live) {
    for (auto& warning : unfinished_probes()) report.value().topology.warnings.push_back(std::move(warning));
  }
  const auto text = rendered(report.value(), options.output) + hint(report.value(), options.output);
  if (const auto error = output.value().finish(text)) return fail(*error);
  if (const auto none = no_gpu(report.value())) return fail(*none);
  return ExitCode::ok;
}

}  // namespace

void add_topo(CLI::App& app, Action& action) {
  auto options = std::make_shared<TopoOptions>();
  CLI::App* command = app.add_subcommand("topo", "What the GPUs can do together, and what hinders it");
  add_input_options(*command, options->input);
  add_library_options(*command, options->input);
  add_rules_options(*command, options->rules);
  add_output_options(*command, options->output);
  command->callback([options, &action] { action = [options] { return run_topo(*options); }; });
}

}  // namespace gpucoop
