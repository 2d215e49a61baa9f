#include "cost_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <utility>

#include "judge/cost.hpp"

namespace gpucoop {

namespace {

void add_count(CLI::App& command, const std::string& name, std::optional<unsigned>& target, unsigned most,
               const std::string& description) {
  command.add_option(name, target, description)->type_name("N")->check([most](const std::string& text) {
    const bool digits = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
    const auto value = digits ? std::strtoul(text.c_str(), nullptr, 10) : 0;
    return value > 0 && value <= most ? std::string()
                                      : "'" + text + "' is no whole number from 1 to " + std::to_string(most);
  });
}

}  // namespace

void add_cost_options(CLI::App& command, CostOptions& options) {
  command
      .add_option(
          "--model", options.model,
          "Estimate what sharing this model would cost: a\npreset (qwen3-8b), a preset with "
          "changes\n(qwen3-8b,bytes_per_weight=0.5), or a shape\n(hidden=5120,layers=64,heads=64,parameters=27)")
      ->type_name("MODEL");
  add_count(command, "--batch", options.batch, kMostBatch, "With --model: sequences decoded together\n(default 1)");
  add_count(command, "--prompt", options.prompt, kMostPrompt, "With --model: tokens of a prompt (default 2048)");
}

Result<std::optional<Workload>> workload_of(const CostOptions& options, const Rules& rules) {
  if (options.model.empty()) {
    if (options.batch || options.prompt) {
      return Error{ExitCode::usage,
                   std::string(options.batch ? "--batch" : "--prompt") + " says how much of a model is run", "",
                   "name the model with --model"};
    }
    return std::optional<Workload>();
  }
  auto model = model_of(options.model, rules);
  if (!model) return model.error();
  Workload work{std::move(model).value()};
  if (options.batch) work.batch = *options.batch;
  if (options.prompt) work.prompt = *options.prompt;
  return std::optional<Workload>(std::move(work));
}

std::vector<CostEstimate> estimates(const Report& report, const Rules& rules, const Workload& work) {
  std::vector<Fact> facts = report.topology.facts;
  facts.insert(facts.end(), report.judgement.facts.begin(), report.judgement.facts.end());
  std::vector<CostEstimate> all;
  for (const GpuSet& set : report.judgement.sets) {
    auto some = estimate_costs(facts, rules, set.gpus, work);
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return all;
}

}  // namespace gpucoop
