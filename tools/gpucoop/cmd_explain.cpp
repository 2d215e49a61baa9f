#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "command.hpp"
#include "judge/explain.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pipeline.hpp"
#include "render/explain.hpp"
#include "rules_option.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

struct ExplainOptions {
  std::string id;
  RulesOptions rules;
  InputOptions input;
  OutputOptions output;
};

Error no_such_id(const std::string& id, const Rules& rules) {
  std::vector<std::string> ids;
  for (const auto& name : rule_names(rules)) ids.push_back(name.id);
  std::string next;
  for (const auto& near : nearest(id, ids, 3)) next += (next.empty() ? "did you mean " : " or ") + near;
  if (!next.empty()) next += "?\n";
  return {ExitCode::usage, "there is nothing to explain of the id '" + id + "'", "",
          next + "gpucoop explain lists every id"};
}

Result<std::string> explained(const ExplainOptions& options, const Rules& rules) {
  TextOptions text;
  text.color = wants_color(options.output);
  const bool json = options.output.format == Format::json;
  if (options.id.empty()) {
    const auto names = rule_names(rules);
    return json ? render_rule_names_json(names) : render_rule_names_text(names, text);
  }
  if (!explain(options.id, rules, nullptr)) return no_such_id(options.id, rules);
  std::optional<Report> report;
  auto loaded = load_report(options.input, rules);
  if (options.input.named() && !loaded) return loaded.error();
  // Where nobody named a host, this one is of interest only if it has GPUs.
  if (loaded && (options.input.named() || !no_gpu(loaded.value()))) report = std::move(loaded).value();
  const auto explanation = explain(options.id, rules, report ? &*report : nullptr);
  return json ? render_explanation_json(*explanation) : render_explanation_text(*explanation, text);
}

ExitCode run_explain(const ExplainOptions& options) {
  if (const auto error = conflict(options.output)) return fail(*error);
  if (const auto error = conflict(options.input)) return fail(*error);
  if (options.id.empty() && options.input.named()) {
    return fail({ExitCode::usage,
                 options.input.sysroot ? "--sysroot needs an ID to explain" : "--from needs an ID to explain", "",
                 "gpucoop explain lists every id"});
  }
  const auto rules = load_rules_of(options.rules);
  if (!rules) return fail(rules.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  const auto bytes = explained(options, *rules.value());
  if (!bytes) return fail(bytes.error());
  if (const auto error = output.value().finish(bytes.value())) return fail(*error);
  return ExitCode::ok;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain", "What a mode, gate, fact, cause or remedy means");
  command->add_option("id", options->id, "What to explain; without it every id is listed")->type_name("ID");
  add_input_options(*command, options->input);
  add_library_options(*command, options->input);
  add_rules_options(*command, options->rules);
  add_output_options(*command, options->output);
  command->callback([options, &action] { action = [options] { return run_explain(*options); }; });
}

}  // namespace gpucoop
