#include "wire/step.hpp"

#include <doctest/doctest.h>

#include <string>

#include "wire/board.hpp"
#include "wire/frame.hpp"

using namespace gpucoop;
using namespace gpucoop::wire;

namespace {

Step switching() {
  Step step;
  step.id = 77;
  step.rung = "ccl.switching";
  step.op = "all_reduce";
  step.ranks = {0, 1, 2, 3};
  step.sizes = {4, std::uint64_t{1} << 40U};
  step.dtype = "float32";
  step.reduce = "sum";
  step.groups = {{"tp0", {0, 1}}, {"dp1", {1, 3}}};
  step.sequence = "moe-ep";
  step.sync = Sync::rendezvous;
  step.rounds = 1000;
  step.warmups = 5;
  step.repetitions = 20;
  step.seed = 0xfedcba9876543210U;
  step.limit_ms = 4500;
  return step;
}

StepResult wrong() {
  StepResult result;
  result.id = 77;
  result.rank = 3;
  result.state = ProbeState::wrong_data;
  result.reason = "3 words\nare wrong";
  result.checked_words = 1U << 24U;
  result.wrong_words = 3;
  result.wrong_how = "lost 3";
  result.bytes = 64U << 20U;
  result.seconds = 0.25;
  result.latency_us = 6.5;
  result.gbytes_per_s = Known<double>::absent();
  result.bus_gbytes_per_s = Known<double>::unknown(Reason::not_probed);
  result.transport = "SHM";
  result.library_name = "host";
  result.library_version = "1";
  result.answers = {{"p2p.access", "true"}, {"p2p.access.why", ""}};
  return result;
}

}  // namespace

TEST_CASE("A step is the same on the other side") {
  const auto sent = switching();
  const auto got = decode_step(encode(sent));
  REQUIRE(got);
  const auto& step = got.value();
  CHECK(step.id == 77);
  CHECK(step.rung == "ccl.switching");
  CHECK(step.op == "all_reduce");
  CHECK(step.ranks == std::vector<unsigned>{0, 1, 2, 3});
  CHECK(step.sizes == std::vector<std::uint64_t>{4, std::uint64_t{1} << 40U});
  REQUIRE(step.groups.size() == 2);
  CHECK(step.groups[1].name == "dp1");
  CHECK(step.groups[1].ranks == std::vector<unsigned>{1, 3});
  CHECK(step.sequence == "moe-ep");
  CHECK(step.sync == Sync::rendezvous);
  CHECK(step.rounds == 1000);
  CHECK(step.seed == 0xfedcba9876543210U);
  CHECK(step.limit_ms == 4500);
  CHECK(encode(step) == encode(sent));
}

TEST_CASE("A result is the same on the other side, unknown and absent values too") {
  const auto got = decode_result(encode(wrong()));
  REQUIRE(got);
  const auto& result = got.value();
  CHECK(result.state == ProbeState::wrong_data);
  CHECK(result.reason == "3 words\nare wrong");
  CHECK(result.latency_us.is(6.5));
  CHECK(result.gbytes_per_s.is_absent());
  CHECK(result.bus_gbytes_per_s == Known<double>::unknown(Reason::not_probed));
  CHECK(result.answers == wrong().answers);
  CHECK(encode(result) == encode(wrong()));
}

TEST_CASE("A step is no result, and neither is cut, longer or changed") {
  const auto step = encode(switching());
  const auto result = encode(wrong());
  CHECK_FALSE(decode_result(step));
  CHECK_FALSE(decode_step(result));
  CHECK(decode_step(result).error().code == ExitCode::bad_input);
  for (std::size_t length = 0; length < step.size(); ++length) CHECK_FALSE(decode_step(step.substr(0, length)));
  for (std::size_t length = 0; length < result.size(); ++length) CHECK_FALSE(decode_result(result.substr(0, length)));
  CHECK_FALSE(decode_step(step + '\0'));
  CHECK_FALSE(decode_result(result + "x"));
  CHECK_FALSE(decode_result(std::string(kMostFrame + 1, '\1')));
}

TEST_CASE("Values that no rank sends are refused") {
  auto result = wrong();
  result.rank = kMostRanks;
  CHECK_FALSE(decode_result(encode(result)));
  result = wrong();
  result.state = static_cast<ProbeState>(200);
  CHECK_FALSE(decode_result(encode(result)));
  result = wrong();
  result.latency_us = Known<double>::unknown(static_cast<Reason>(99));
  CHECK_FALSE(decode_result(encode(result)));
  auto step = switching();
  step.groups[0].ranks = {kMostRanks};
  CHECK_FALSE(decode_step(encode(step)));
  step = switching();
  step.sync = static_cast<Sync>(9);
  CHECK_FALSE(decode_step(encode(step)));
}

TEST_CASE("Every byte of a result may be any other: it is decoded or refused, and never more than it holds") {
  const auto good = encode(wrong());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const unsigned change : {1U, 0x80U, 0xffU}) {
      auto bytes = good;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ change);
      const auto got = decode_result(bytes);
      if (got) CHECK(encode(got.value()) == bytes);
    }
  }
}

TEST_CASE("A rank that has too much to say is cut, not refused") {
  auto result = wrong();
  result.reason = std::string(1U << 20U, 'r');
  result.answers.assign(5000, {"key", "value"});
  const auto got = decode_result(encode(result));
  REQUIRE(got);
  CHECK(got.value().reason == std::string(kMostText, 'r'));
  CHECK(got.value().answers.size() == kMostEntries);
  result.answers.assign(1000, {"key", std::string(1000, 'v')});
  CHECK(encode(result).size() <= kMostFrame);
  CHECK(decode_result(encode(result)));
}
