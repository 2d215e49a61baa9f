#include "model/fact.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;

TEST_CASE("a fact is referred to by its id and subject") {
  const Address a = parse_address("0b:00.0").value();
  const Address b = parse_address("03:00.0").value();
  CHECK(reference(Fact{"atomics.path", {SubjectKind::gpu, {a}}, FactValue(true), Tier::static_, ""}) ==
        "atomics.path@0000:0b:00.0");
  CHECK(reference(Fact{"p2p.write", {SubjectKind::pair, {a, b}}, FactValue(true), Tier::static_, ""}) ==
        "p2p.write@0000:0b:00.0,0000:03:00.0");
  CHECK(reference(Fact{"host.virtualized", {}, {}, Tier::static_, ""}) == "host.virtualized");
}

TEST_CASE("a pair fact is found for its own direction only") {
  const Address a = parse_address("0b:00.0").value();
  const Address b = parse_address("03:00.0").value();
  const std::vector<Fact> facts{{"p2p.write", {SubjectKind::pair, {a, b}}, FactValue(true), Tier::static_, ""}};
  CHECK(find_fact(facts, "p2p.write", {SubjectKind::pair, {a, b}}) == &facts[0]);
  CHECK(find_fact(facts, "p2p.write", {SubjectKind::pair, {b, a}}) == nullptr);
  CHECK(find_fact(facts, "p2p.read", {SubjectKind::pair, {a, b}}) == nullptr);
}
