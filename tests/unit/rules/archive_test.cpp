#include "rules/archive.hpp"

#include <doctest/doctest.h>

#include <string>

#include "rules/load.hpp"
#include "rules/rules_text.hpp"

using namespace gpucoop;

TEST_CASE("packed rules are the rules") {
  const auto& rules = builtin_rules();
  const auto bytes = write_archive(rules);
  const auto again = read_archive(bytes);
  CHECK(write_archive(again) == bytes);
  REQUIRE(again.facts.size() == rules.facts.size());
  CHECK(again.facts.front().id == rules.facts.front().id);
  CHECK(again.facts.back().source == rules.facts.back().source);
  REQUIRE(again.gates.size() == rules.gates.size());
  CHECK(again.remedies.back().risk == rules.remedies.back().risk);
}

TEST_CASE("values of every type survive packing") {
  Rules rules;
  GateRule gate;
  gate.id = "g";
  Clause clause;
  for (const FactValue& value :
       {FactValue(false), FactValue(true), FactValue(-7.5), FactValue(std::string("x\0y", 3))}) {
    Condition condition;
    condition.fact = "f";
    condition.op = Operator::at_least;
    condition.value = value;
    clause.any_of.push_back(condition);
  }
  clause.why = "größer";
  gate.require = {clause};
  rules.gates = {gate};
  FactRule fact;
  fact.expected = {Expectation{{"amd"}, clause.any_of.front(), "g", false}};
  rules.facts = {fact};
  const auto again = read_archive(write_archive(rules));
  const auto& conditions = again.gates.at(0).require.at(0).any_of;
  REQUIRE(conditions.size() == 4);
  CHECK(conditions[0].value == FactValue(false));
  CHECK(conditions[1].value == FactValue(true));
  CHECK(conditions[2].value == FactValue(-7.5));
  CHECK(conditions[3].value == FactValue(std::string("x\0y", 3)));
  CHECK(conditions[2].op == Operator::at_least);
  CHECK(again.gates.at(0).require.at(0).why == "größer");
  REQUIRE(again.facts.at(0).expected.size() == 1);
  CHECK(again.facts.at(0).expected[0].when.has_value());
  CHECK_FALSE(again.facts.at(0).expected[0].value);
}

TEST_CASE("cut bytes do no harm") {
  const auto bytes = write_archive(builtin_rules());
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{100}, bytes.size() / 2}) {
    CHECK(read_archive(std::string_view(bytes).substr(0, n)).facts.size() <= builtin_rules().facts.size());
  }
}

TEST_CASE("the built-in catalogue has every mode of the report contract") {
  for (const char* id : {"data-parallel", "layer-split", "pipeline", "tensor", "tensor-custom-allreduce",
                         "tensor-host-staged", "expert", "expert-dp", "context", "prefill-decode", "ddp", "fsdp"}) {
    CAPTURE(id);
    CHECK(find_mode(builtin_rules(), id) != nullptr);
  }
  CHECK(find_gate(builtin_rules(), "atomics") != nullptr);
  CHECK(find_fact_rule(builtin_rules(), "ccl.switching") != nullptr);
  CHECK(find_remedy(builtin_rules(), "move-slot") != nullptr);
  CHECK(find_mode(builtin_rules(), "atomics") == nullptr);
}
