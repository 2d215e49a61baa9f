// Rules files: whatever loads can be packed, judged with and explained.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "judge/explain.hpp"
#include "judge/judge.hpp"
#include "render/explain.hpp"
#include "rules/archive.hpp"
#include "rules/load.hpp"

namespace {

using namespace gpucoop;

Fact fact(const std::string& id, const Subject& of, FactValue value, Tier tier) {
  Fact f;
  f.id = id;
  f.subject = of;
  f.value = std::move(value);
  f.tier = tier;
  return f;
}

/// Two GPUs, and a value for every fact that the rules know, so that every comparison is made.
std::vector<Fact> facts_for(const Rules& rules) {
  const std::vector<Address> gpus = {{0, 3, 0, 0}, {0, 0x0b, 0, 0}};
  std::vector<Fact> facts;
  for (const auto& gpu : gpus) {
    facts.push_back(fact("gpu.vendor", {SubjectKind::gpu, {gpu}}, std::string("amd"), Tier::static_));
  }
  for (const auto& rule : rules.facts) {
    FactValue value = true;
    if (rule.type == FactType::number) value = 1.5;
    if (rule.type == FactType::text) value = std::string("x");
    switch (rule.subject) {
      case SubjectKind::host: facts.push_back(fact(rule.id, {rule.subject, {}}, value, rule.tier)); break;
      case SubjectKind::set: facts.push_back(fact(rule.id, {rule.subject, gpus}, value, rule.tier)); break;
      case SubjectKind::pair: facts.push_back(fact(rule.id, {rule.subject, gpus}, value, rule.tier)); break;
      case SubjectKind::gpu:
      case SubjectKind::library:
        facts.push_back(fact(rule.id, {rule.subject, {gpus.front()}}, value, rule.tier));
        break;
      case SubjectKind::port:
      case SubjectKind::link: break;
    }
  }
  return facts;
}

/// A catalogue to put the input over.
const std::string kBase = R"([[fact]]
id = "base.fact"
subject = "set"
type = "bool"
tier = "probed"
title = "t"
meaning = "m"
established = "e"
source = "s"
[[mode]]
id = "base.mode"
title = "t"
meaning = "m"
unproven = "u"
source = "s"
require = [{ any_of = [{ fact = "base.fact", is = true }], why = "w", remedies = ["base.remedy"] }]
[[remedy]]
id = "base.remedy"
title = "t"
text = "t"
changes = ["base.fact"]
cost = "c"
risk = "r"
source = "s"
)";

/// Put over others, rules load or give a mistake of either file, and the base is whole or replaced, never half there.
void put_over_others(const std::string& text) {
  const auto loaded = load_rules({{"fuzz.toml", text}}, {{"base.toml", kBase}});
  if (!loaded) {
    if (loaded.error().what.empty() || loaded.error().where.empty()) std::abort();
    return;
  }
  if (!explain("base.mode", loaded.value(), nullptr)) std::abort();
  (void)judge(facts_for(loaded.value()), loaded.value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  put_over_others(text);
  const auto loaded = load_rules({{"fuzz.toml", text}});
  if (!loaded) {
    // A mistake always has a place and words.
    if (loaded.error().what.empty() || loaded.error().where.rfind("fuzz.toml", 0) != 0) std::abort();
    return 0;
  }
  const auto& rules = loaded.value();
  const auto bytes = write_archive(rules);
  if (write_archive(read_archive(bytes)) != bytes) std::abort();
  for (const bool known : {false, true}) {
    Report report;
    if (known) report.topology.facts = facts_for(rules);
    report.judgement = judge(report.topology.facts, rules);
    if (known && report.judgement.modes.size() != rules.modes.size()) std::abort();
    if (report.judgement.engines.size() > rules.engine_modes.size()) std::abort();
    for (const auto& name : rule_names(rules)) {
      const auto explanation = explain(name.id, rules, &report);
      if (!explanation) std::abort();
      if (render_explanation_text(*explanation, TextOptions{}).empty()) std::abort();
      if (render_explanation_json(*explanation).empty()) std::abort();
    }
  }
  return 0;
}
