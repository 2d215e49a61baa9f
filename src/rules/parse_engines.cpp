#include <cstdint>
#include <string>
#include <utility>

#include "rules/parser.hpp"

namespace gpucoop::rules_file {

void Parser::advice(Entry& e) {
  AdviceRule r;
  r.id = id(e, "advice");
  r.kind = word_of<Advice::Kind>(e, "kind", Advice::Kind::avoid);
  r.text = template_text(e, "text", true);
  r.vendors = vendors(e);
  r.when = conditions(e, "when");
  r.any_of = conditions(e, "any_of");
  r.unless = conditions(e, "unless");
  r.why = template_text(e, "why", true);
  r.otherwise = e.text_or_empty("otherwise");
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.advice.push_back(std::move(r));
}

void Parser::engine(Entry& e) {
  EngineRule r;
  r.id = id(e, "engine");
  r.title = e.text("title");
  r.meaning = e.text("meaning");
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.engines.push_back(std::move(r));
}

void Parser::engine_mode(Entry& e) {
  EngineModeRule r;
  r.id = id(e, "engine-mode");
  r.engine = e.text("engine");
  mention(Mention::Kind::engine, r.engine, e.origin("engine"));
  r.mode = e.text("mode");
  mention(Mention::Kind::mode, r.mode, e.origin("mode"));
  r.title = e.text("title");
  r.meaning = e.text("meaning");
  r.vendors = vendors(e);
  r.builds_on = ids(e, "builds_on", Mention::Kind::mode);
  r.require = clauses(e, "require");
  if (r.require.empty() && r.builds_on.empty()) {
    e.fail_at("require", "an engine-mode needs 'builds_on' or at least one 'require' clause");
  }
  r.prefer = clauses(e, "prefer");
  r.unproven = template_text(e, "unproven", false);
  r.settled_by = settled_by(e);
  for (auto& [text, origin] : e.texts("flags")) {
    check_template(text, origin, e.title());
    r.flags.push_back(std::move(text));
  }
  r.advice = ids(e, "advice", Mention::Kind::advice);
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.engine_modes.push_back(std::move(r));
}

void Parser::model(Entry& e) {
  ModelRule r;
  r.id = id(e, "model");
  r.title = e.text("title");
  constexpr std::int64_t kMost = 10'000'000;
  const auto count = [&e](std::string_view key, bool required) {
    return static_cast<unsigned>(required ? e.required_integer(key, 1, kMost) : e.integer(key, 0, kMost).value_or(0));
  };
  r.hidden = count("hidden", true);
  r.layers = count("layers", true);
  r.heads = count("heads", true);
  r.kv_heads = count("kv_heads", false);
  r.head_dim = count("head_dim", true);
  r.kv_values = count("kv_values", false);
  r.kv_layers = count("kv_layers", false);
  if (r.kv_layers > r.layers) e.fail_at("kv_layers", "there are only so many layers");
  r.window = count("window", false);
  r.vocabulary = count("vocabulary", true);
  r.experts = count("experts", false);
  r.experts_per_token = count("experts_per_token", r.experts != 0);
  r.moe_layers = count("moe_layers", r.experts != 0);
  if (r.experts_per_token > r.experts) e.fail_at("experts_per_token", "there are only so many experts");
  if (r.moe_layers > r.layers) e.fail_at("moe_layers", "there are only so many layers");
  r.parameters_billion = e.required_number("parameters_billion", 1e-3, 1e5);
  r.active_billion = e.number("active_billion", 1e-3, r.parameters_billion).value_or(r.parameters_billion);
  r.bytes_per_weight = e.number("bytes_per_weight", 0.1, 8).value_or(2);
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.models.push_back(std::move(r));
}

void Parser::stack(Entry& e) {
  StackRule r;
  r.id = id(e, "stack");
  r.title = e.text("title");
  r.vendors = vendors(e);
  r.modes = ids(e, "modes", Mention::Kind::mode);
  if (r.modes.empty()) e.fail_at("modes", "a stack needs 'modes'");
  r.fabric = e.boolean("fabric").value_or(false);
  r.alpha_us = e.required_number("alpha_us", 0.01, 1e6);
  r.observed = e.text_or_empty("observed");
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.stacks.push_back(std::move(r));
}

void Parser::card(Entry& e) {
  CardRule r;
  r.title = e.text("title");
  e.rename("card '" + r.title + "'");
  r.vendor = static_cast<std::uint16_t>(e.required_integer("vendor", 0, 0xffff));
  for (const auto device : e.integers("devices", 0, 0xffff)) r.devices.push_back(static_cast<std::uint16_t>(device));
  if (r.devices.empty()) e.fail_at("devices", "a card needs 'devices'");
  r.memory_gbytes_per_s = e.required_number("memory_gbytes_per_s", 1, 1e5);
  r.memory_gib = e.required_number("memory_gib", 0.1, 1e5);
  r.source = e.text("source");
  e.finish();
  catalogue_.rules.cards.push_back(std::move(r));
}

}  // namespace gpucoop::rules_file
