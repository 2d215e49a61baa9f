#include "judge/explain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "judge/judge.hpp"
#include "judge/machine.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

Report report_of(const Machine& machine) {
  Report report;
  report.topology.facts = machine.facts;
  report.judgement = judge(machine.facts, builtin_rules());
  return report;
}

Report blocked() {
  Machine m;
  m.complete().gpu("amd", "03:00.0").gpu("amd", "0b:00.0");
  m.set("03:00.0", "atomics.state", true);
  m.set("0b:00.0", "atomics.state", false, Tier::static_, {at("05:00.0")});
  return report_of(m);
}

bool uses(const Explanation& e, const std::string& kind, const std::string& id) {
  return std::any_of(e.used_by.begin(), e.used_by.end(),
                     [&](const RuleName& n) { return n.kind == kind && n.id == id; });
}

}  // namespace

TEST_CASE("every entry of the rules has a whole explanation") {
  const auto report = blocked();
  for (const auto& name : rule_names(builtin_rules())) {
    CAPTURE(name.id);
    const auto e = explain(name.id, builtin_rules(), nullptr);
    REQUIRE(e);
    CHECK(e->name.kind == name.kind);
    CHECK_FALSE(e->name.title.empty());
    CHECK_FALSE(e->source.empty());
    if (name.kind == "mode" || name.kind == "gate") {
      CHECK(e->meaning.size() > 20);
      CHECK_FALSE(e->needs.empty());
      for (const auto& need : e->needs) CHECK_FALSE(need.ids.empty());
    }
    if (name.kind == "fact") {
      CHECK(e->meaning.size() > 10);
      CHECK_FALSE(e->about.empty());
      CHECK_FALSE(e->established.empty());
    }
    if (name.kind == "gate" || name.kind == "remedy") CHECK_FALSE(e->used_by.empty());
    if (name.kind == "remedy") {
      REQUIRE(e->remedies.size() == 1);
      CHECK(e->remedies[0].text.find('{') == std::string::npos);
    }
    CHECK_FALSE(e->with_host);
    const auto here = explain(name.id, builtin_rules(), &report);
    REQUIRE(here);
    CHECK(here->with_host);
    if (name.kind == "mode" || name.kind == "gate") CHECK(here->standing.size() == 1);
  }
  CHECK_FALSE(explain("no-such-id", builtin_rules(), nullptr));
}

TEST_CASE("titles of bool facts can follow whether") {
  for (const auto& fact : builtin_rules().facts) {
    CAPTURE(fact.id);
    CHECK(fact.title.back() != '.');
    if (fact.type == FactType::boolean) CHECK(fact.title.find(' ') != std::string::npos);
  }
}

TEST_CASE("a mode says what it needs, through its gates") {
  const auto e = explain("tensor", builtin_rules(), nullptr);
  REQUIRE(e);
  REQUIRE(e->needs.size() == 2);
  CHECK(e->needs[0].ids == std::vector<std::string>{"all-reduce"});
  REQUIRE(e->needs[0].inside.size() == 2);
  CHECK(e->needs[0].inside[0].ids == std::vector<std::string>{"communicator"});
  CHECK(e->needs[0].inside[1].ids == std::vector<std::string>{"ccl.allreduce", "ccl.with_setting"});
  CHECK(e->needs[0].inside[1].text.rfind("an all-reduce over these GPUs gives right values [ccl.allreduce]", 0) == 0);
  CHECK(e->prefers.size() == 7);
  CHECK(std::any_of(e->remedies.begin(), e->remedies.end(), [](const Remedy& r) { return r.id == "move-slot"; }));
}

TEST_CASE("a mode, a gate and a fact say how they stand on a host") {
  const auto report = blocked();
  const auto tensor = explain("tensor", builtin_rules(), &report);
  REQUIRE(tensor);
  REQUIRE(tensor->standing.size() == 1);
  CHECK(tensor->standing[0].state == "unknown");
  CHECK(tensor->standing[0].expected == "no");
  CHECK(tensor->standing[0].evidence.at(0).id == "atomics.state");
  REQUIRE(tensor->needs.at(0).here.size() == 1);
  CHECK(tensor->needs[0].here[0].established == Tri::unknown);
  CHECK(tensor->needs[0].here[0].expected == Tri::no);
  CHECK(std::any_of(tensor->remedies_here.begin(), tensor->remedies_here.end(),
                    [](const Remedy& r) { return r.text.find("0b:00.0") != std::string::npos; }));

  const auto atomics = explain("atomics", builtin_rules(), &report);
  REQUIRE(atomics);
  CHECK(atomics->standing.at(0).state == "closed");
  CHECK(atomics->standing[0].why == "PCIe atomics from 0b:00.0 cannot reach the CPU (blocked at 05:00.0)");
  REQUIRE(atomics->standing[0].evidence.size() == 1);
  CHECK(reference(atomics->standing[0].evidence[0]) == "atomics.state@0000:0b:00.0");

  const auto hostcall = explain("hostcall", builtin_rules(), &report);
  CHECK(hostcall->standing.at(0).state == "unknown");
  CHECK(hostcall->standing[0].expected == "closed");

  const auto state = explain("atomics.state", builtin_rules(), &report);
  REQUIRE(state);
  CHECK(state->facts.size() == 2);
  CHECK(uses(*state, "gate", "atomics"));
  CHECK(uses(*state, "gate", "hostcall"));
  CHECK_FALSE(uses(*state, "gate", "usable"));
}

TEST_CASE("the atomics gate plays no part for NVIDIA") {
  Machine m;
  m.complete().gpu("nvidia", "01:00.0").gpu("nvidia", "02:00.0");
  const auto report = report_of(m);
  const auto e = explain("atomics", builtin_rules(), &report);
  REQUIRE(e);
  CHECK(e->standing.at(0).state == "open");
  CHECK(e->standing[0].evidence.empty());
}
