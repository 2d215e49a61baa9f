#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "analyse/analyse.hpp"
#include "judge/judge.hpp"
#include "read/read.hpp"

using namespace gpucoop;

namespace {

Topology topology_of(const std::string& fixture) {
  const auto path = std::string(GPUCOOP_SOURCE_DIR) + "/fixtures/" + fixture;
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), path);
  const auto recording =
      read_inputs({{path, std::string(std::istreambuf_iterator<char>(in), {})}}, builtin_rules(), ReadOptions{});
  REQUIRE(recording);
  return analyse(recording.value(), builtin_rules());
}

}  // namespace

TEST_CASE("every fact of a report is in the catalogue, about the right kind of subject and of the right type") {
  std::set<std::string> seen;
  for (const char* fixture : {"asus-tuf-b650e-dual-r9700/lspci-vv.txt", "asus-proart-b850-dual-r9700/lspci-xxxx.txt",
                              "x570-dual-rtx3090-idle/lspci-vv.txt", "xeon-w-four-b60/lspci-vv.txt",
                              "strix-halo-integrated/lspci-vv.txt", "epyc-dual-a6000-one-switch/lspci-vv.txt"}) {
    CAPTURE(fixture);
    const auto topology = topology_of(fixture);
    CHECK_FALSE(topology.facts.empty());
    std::set<std::string> references;
    for (const auto& fact : topology.facts) {
      CAPTURE(reference(fact));
      CHECK(references.insert(reference(fact)).second);
      const auto* rule = find_fact_rule(builtin_rules(), fact.id);
      REQUIRE(rule != nullptr);
      CHECK(rule->subject == fact.subject.kind);
      if (fact.value.is_known()) CHECK(static_cast<std::size_t>(rule->type) == fact.value.value().index());
      CHECK_FALSE(fact.evidence.empty());
      seen.insert(fact.id);
    }
  }
  // The readings that the catalogue promises are all there; what is about a set, the judge finds when it chooses one.
  for (const auto& rule : builtin_rules().facts) {
    CAPTURE(rule.id);
    if (rule.tier == Tier::static_ && rule.subject != SubjectKind::set) CHECK(seen.count(rule.id) == 1);
  }
}

TEST_CASE("the two boards of the first report, from registers to verdict") {
  const auto before = judge(topology_of("asus-tuf-b650e-dual-r9700/lspci-vv.txt").facts, builtin_rules());
  const auto after = judge(topology_of("asus-proart-b850-dual-r9700/lspci-vv.txt").facts, builtin_rules());
  const auto expected = [](const Judgement& judgement, std::string_view id) {
    for (const auto& mode : judgement.modes) {
      if (mode.id == id) return mode.state == ModeState::unknown ? mode.expected : Known<ModeState>(ModeState::no);
    }
    return Known<ModeState>();
  };
  for (const char* id : {"tensor", "pipeline"}) {
    CHECK(expected(before, id).is(ModeState::no));
    CHECK(expected(after, id).is(ModeState::yes));
  }
  CHECK(expected(before, "layer-split").is(ModeState::yes));
  for (const auto& mode : before.modes) {
    if (mode.id == "tensor") CHECK(mode.why.find("05:00.0 and 06:09.0") != std::string::npos);
  }
  for (const auto& mode : after.modes) {
    CAPTURE(mode.id);
    if (mode.id != "expert-dp") CHECK(mode.remedies.empty());
  }
}
