#pragma once

#include <map>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/machine.hpp"
#include "model/report.hpp"
#include "rules/rules.hpp"

namespace gpucoop::test {

/// A host in which a fact has one value for all its subjects, so that a rule can be made true or false at will.
struct World {
  std::string vendor = "nvidia";
  int count = 2;
  bool mixed = false;  ///< the last GPU is of another vendor
  bool alike = true;   ///< the GPUs have one device id
  std::map<std::string, Known<FactValue>> values;

  [[nodiscard]] std::vector<Address> gpus() const {
    std::vector<Address> list;
    for (int i = 0; i < count; ++i) list.push_back(at("0" + std::to_string(i + 1) + ":00.0"));
    return list;
  }

  [[nodiscard]] std::vector<Fact> facts() const {
    std::vector<Fact> list;
    const auto all = gpus();
    const auto put = [&](const std::string& id, const Subject& subject, Known<FactValue> value, Tier tier) {
      Fact fact;
      fact.id = id;
      fact.subject = subject;
      fact.value = std::move(value);
      fact.tier = tier;
      fact.evidence = "made up";
      list.push_back(std::move(fact));
    };
    for (const auto& gpu : all) {
      const bool other = mixed && gpu == all.back();
      put("gpu.vendor", {SubjectKind::gpu, {gpu}}, FactValue(other ? std::string("other") : vendor), Tier::static_);
      put("gpu.device", {SubjectKind::gpu, {gpu}},
          FactValue("10de:000" + std::string(alike || gpu == all.front() ? "1" : "2")), Tier::static_);
    }
    put("host.listing_complete", {SubjectKind::host, {}}, FactValue(true), Tier::static_);
    for (const auto& [id, value] : values) {
      const auto* rule = find_fact_rule(builtin_rules(), id);
      if (rule == nullptr) continue;
      switch (rule->subject) {
        case SubjectKind::host: put(id, {SubjectKind::host, {}}, value, rule->tier); break;
        case SubjectKind::set: put(id, {SubjectKind::set, all}, value, rule->tier); break;
        case SubjectKind::gpu:
        case SubjectKind::library:
          for (const auto& gpu : all) put(id, {rule->subject, {gpu}}, value, rule->tier);
          break;
        case SubjectKind::pair:
          for (const auto& a : all) {
            for (const auto& b : all) {
              if (a != b) put(id, {SubjectKind::pair, {a, b}}, value, rule->tier);
            }
          }
          break;
        case SubjectKind::port:
        case SubjectKind::link: break;
      }
    }
    return list;
  }

  [[nodiscard]] Judgement judged() const {
    JudgeOptions options;
    options.gpus = gpus();
    return judge(facts(), builtin_rules(), options);
  }
};

}  // namespace gpucoop::test
