#include "judge/fact_index.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace gpucoop;

namespace {

const Address kFirst{0, 3, 0, 0};
const Address kSecond{0, 11, 0, 0};
const Address kOther{1, 3, 0, 0};

Fact fact(const std::string& id, Subject subject, double value) {
  Fact f;
  f.id = id;
  f.subject = std::move(subject);
  f.value = FactValue(value);
  return f;
}

double number(const Fact* found) {
  REQUIRE(found != nullptr);
  return std::get<double>(found->value.value());
}

}  // namespace

TEST_CASE("facts are found by what they are about, whatever their order") {
  const std::vector<Fact> facts = {
      fact("a", {SubjectKind::pair, {kSecond, kFirst}}, 1), fact("a", {SubjectKind::gpu, {kOther}}, 2),
      fact("a", {SubjectKind::pair, {kFirst, kSecond}}, 3), fact("b", {SubjectKind::host, {}}, 4),
      fact("a", {SubjectKind::gpu, {kFirst}}, 5),
  };
  const FactIndex index(facts);
  CHECK(number(index.find("a", focus_on(kSecond, kFirst))) == 1);
  CHECK(number(index.find("a", focus_on(kFirst, kSecond))) == 3);
  CHECK(number(index.find("a", focus_on(kOther))) == 2);
  CHECK(number(index.find("a", focus_on(kFirst))) == 5);
  CHECK(number(index.find("b", Focus{})) == 4);
  CHECK(index.find("a", focus_on(kSecond)) == nullptr);
  CHECK(index.find("a", focus_on(kFirst, kOther)) == nullptr);
  CHECK(index.find("a", Focus{}) == nullptr);
  CHECK(index.find("c", Focus{}) == nullptr);
  CHECK(index.of_id("c") == nullptr);
}

TEST_CASE("a fact about a set is found in any order of the members and is no fact about a pair") {
  const std::vector<Fact> facts = {fact("a", {SubjectKind::set, {kFirst, kSecond}}, 1)};
  const FactIndex index(facts);
  CHECK(number(index.find("a", std::vector<Address>{kSecond, kFirst})) == 1);
  CHECK(index.find("a", std::vector<Address>{kFirst}) == nullptr);
  CHECK(index.find("a", std::vector<Address>{kFirst, kOther}) == nullptr);
  CHECK(index.find("a", focus_on(kFirst, kSecond)) == nullptr);
}

TEST_CASE("facts that are added are found, and of two about the same the last counts") {
  const std::vector<Fact> facts = {fact("a", {SubjectKind::gpu, {kSecond}}, 1)};
  FactIndex index(facts);
  const auto* all = index.of_id("a");
  REQUIRE(all != nullptr);
  const std::vector<Fact> more = {
      fact("a", {SubjectKind::gpu, {kFirst}}, 2), fact("a", {SubjectKind::gpu, {kSecond}}, 3),
      fact("a", {SubjectKind::set, {kFirst, kSecond}}, 4), fact("a", {SubjectKind::set, {kSecond, kFirst}}, 5)};
  for (const auto& one : more) index.add(one);
  CHECK(all == index.of_id("a"));
  CHECK(number(all->find(focus_on(kFirst))) == 2);
  CHECK(number(all->find(focus_on(kSecond))) == 3);
  CHECK(number(all->find(std::vector<Address>{kFirst, kSecond})) == 5);
}

TEST_CASE("a fact about more than a pair is found for no pair") {
  const std::vector<Fact> facts = {fact("a", {SubjectKind::link, {kFirst, kSecond, kOther}}, 1)};
  const FactIndex index(facts);
  CHECK(index.find("a", focus_on(kFirst, kSecond)) == nullptr);
}
