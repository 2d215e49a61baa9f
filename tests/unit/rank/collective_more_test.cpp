#include "team_of_threads.hpp"

namespace gpucoop {
namespace {

TEST_CASE("a recorded collective can be replayed with new data") {
  TeamOfThreads team(3);
  auto step = step_of("ccl.graph");
  step.rounds = 5;
  const auto results = team.run(step);
  check_all_passed(results);
  // 16384 values without the graph, and five times with it.
  CHECK(results[0].checked_words == 6 * 16384);
}

TEST_CASE("after a communicator was given up another one works") {
  TeamOfThreads team(3);
  check_all_passed(team.run(step_of("ccl.recovery")));
  check_all_passed(team.run(step_of("ccl.allreduce")));
}

TEST_CASE("a soak ends after its rounds, or after its time in all ranks alike") {
  TeamOfThreads team(2);
  auto step = step_of("ccl.soak");
  step.rounds = 9;
  check_all_passed(team.run(step));
  step.rounds = 0;
  step.limit_ms = 3000;
  const auto results = team.run(step);
  check_all_passed(results);
  CHECK(results[0].checked_words == results[1].checked_words);
}

TEST_CASE("latency and bandwidth are measured by nccl-tests' definitions") {
  TeamOfThreads team(4);
  auto step = step_of("ccl.latency");
  auto results = team.run(step);
  check_all_passed(results);
  CHECK(results[0].latency_us.value_or(0) > 0);
  REQUIRE(results[0].answers.size() >= 1);
  CHECK(results[0].answers[0].first == "all_reduce of 10240 bytes");
  step = step_of("ccl.bandwidth");
  step.sizes = {1U << 20U};
  results = team.run(step);
  check_all_passed(results);
  const double rate = results[0].gbytes_per_s.value_or(0);
  CHECK(rate > 0);
  CHECK(results[0].bus_gbytes_per_s.value_or(0) == doctest::Approx(1.5 * rate));
  step.op = "all_gather";
  results = team.run(step);
  CHECK(results[0].bus_gbytes_per_s.value_or(0) == doctest::Approx(0.75 * results[0].gbytes_per_s.value_or(0)));
}

TEST_CASE("processes reach each other over TCP, or it is said why not") {
  for (const unsigned ranks : {1U, 3U}) {
    TeamOfThreads team(ranks);
    for (const auto& result : team.run(step_of("host.loopback"))) {
      // The name of a host in a container need not resolve; the loopback interface itself may be down as well.
      if (result.state == ProbeState::passed) {
        CHECK(result.reason.empty());
      } else {
        CHECK_FALSE(result.reason.empty());
      }
    }
  }
}

TEST_CASE("all ranks wait where one is slow, and nothing is wrong") {
  TeamOfThreads team(2, {"slow:rank1@all_reduce"});
  auto step = step_of("ccl.allreduce");
  step.sizes = {4, 8};
  const auto results = team.run(step);
  check_all_passed(results);
  CHECK(results[0].seconds >= 0.2);
}

}  // namespace
}  // namespace gpucoop
