#include "probe/variants.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;
using namespace gpucoop::probe;

namespace {

VariantRule variant(const std::string& id, bool control = false) {
  VariantRule rule;
  rule.id = id;
  rule.title = id + " it is";
  rule.libraries = {"nccl"};
  rule.set = {"A_" + id + "=1", "B=2"};
  rule.control = control;
  rule.cost = "much";
  return rule;
}

const VariantRule kControl = variant("CONTROL", true);
const VariantRule kFirst = variant("FIRST");
const VariantRule kSecond = variant("SECOND");

}  // namespace

TEST_CASE("the control is tried first, and only variants of the library") {
  Rules rules;
  rules.variants = {kFirst, kControl, kSecond};
  rules.variants[2].libraries = {"oneccl"};
  const auto found = variants_for(rules, "nccl");
  REQUIRE(found.size() == 2);
  CHECK(found[0]->control);
  CHECK(found[1]->id == "FIRST");
  CHECK(variants_for(rules, "rccl").empty());
  CHECK(settings_in_words(kFirst) == "A_FIRST=1 B=2");
  CHECK(settings_of(kFirst)[0] == std::pair<std::string, std::string>("A_FIRST", "1"));
}

TEST_CASE("every vendor's library has one control, and it is tried first") {
  for (const char* library : {"nccl", "rccl", "oneccl", "host"}) {
    CAPTURE(library);
    const auto found = variants_for(builtin_rules(), library);
    REQUIRE(found.size() > 1);
    CHECK(found[0]->control);
    CHECK_FALSE(found[1]->control);
  }
}

TEST_CASE("the first variant that passes is the cure, named with its price") {
  const auto d =
      diagnose({{&kControl, ProbeState::passed}, {&kFirst, ProbeState::hung}, {&kSecond, ProbeState::passed}});
  CHECK(d.kind == Diagnosis::Kind::cured);
  CHECK(d.cure == &kSecond);
  CHECK(d.finding == "it works with A_SECOND=1 B=2 (SECOND it is); what that costs: much");
}

TEST_CASE("where only the control passes it is the cure") {
  const auto d = diagnose({{&kControl, ProbeState::passed}, {&kFirst, ProbeState::hung}});
  CHECK(d.kind == Diagnosis::Kind::cured);
  CHECK(d.cure == &kControl);
}

TEST_CASE("a control that fails makes it inconclusive, whatever else passed") {
  for (const auto state : {ProbeState::failed, ProbeState::hung, ProbeState::crashed, ProbeState::wrong_data}) {
    const auto d = diagnose({{&kControl, state}, {&kFirst, ProbeState::passed}});
    CHECK(d.kind == Diagnosis::Kind::inconclusive);
    CHECK(d.cure == nullptr);
    CHECK(d.finding.find("no setting is to blame") != std::string::npos);
    CHECK_FALSE(goes_on({{&kControl, state}}));
  }
}

TEST_CASE("nothing tried says nothing, and skipped is not tried") {
  CHECK(diagnose({}).kind == Diagnosis::Kind::none);
  CHECK(diagnose({{&kControl, ProbeState::skipped}, {&kFirst, ProbeState::skipped}}).kind == Diagnosis::Kind::none);
  CHECK(diagnose({{&kFirst, ProbeState::hung}}).kind == Diagnosis::Kind::not_cured);
  CHECK(goes_on({{&kControl, ProbeState::passed}, {&kFirst, ProbeState::hung}}));
  CHECK_FALSE(goes_on({{&kControl, ProbeState::passed}, {&kFirst, ProbeState::passed}}));
}
