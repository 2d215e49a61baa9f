#include "team_of_threads.hpp"

namespace gpucoop {
namespace {

const std::vector<std::string> kCollectives = {"ccl.allreduce", "ccl.reduce",        "ccl.broadcast",
                                               "ccl.allgather", "ccl.reducescatter", "ccl.sendrecv",
                                               "ccl.alltoall",  "ccl.allgatherv",    "ccl.reducescatterv"};

TEST_CASE("every collective over 2, 3 and 4 ranks gives right values, of odd sizes as well") {
  for (const unsigned ranks : {2U, 3U, 4U}) {
    TeamOfThreads team(ranks);
    for (const auto& rung : kCollectives) {
      CAPTURE(ranks);
      CAPTURE(rung);
      auto step = step_of(rung);
      step.sizes = {4, 4 * 1001, 20480, 4 * 100003};
      step.rounds = 3;
      const auto results = team.run(step);
      check_all_passed(results);
      std::uint64_t checked = 0;
      for (const auto& result : results) checked += result.checked_words;
      CHECK(checked >= 3 * (1 + 1001 + 5120 + 100003) / ranks);
      CHECK(results.front().transport == "SHM/host");
      CHECK(results.front().library_name == "host");
    }
  }
}

TEST_CASE("reductions are right in every type with every operator") {
  TeamOfThreads team(3);
  for (const std::string type :
       {"int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bfloat16"}) {
    for (const std::string op : {"sum", "prod", "max", "min", "avg"}) {
      for (const std::string rung : {"ccl.allreduce", "ccl.reduce", "ccl.reducescatter", "ccl.reducescatterv"}) {
        CAPTURE(type);
        CAPTURE(op);
        CAPTURE(rung);
        auto step = step_of(rung);
        step.dtype = type;
        step.reduce = op;
        step.sizes = {8, 999, 50001};
        step.rounds = 2;
        check_all_passed(team.run(step));
      }
    }
  }
}

TEST_CASE("eight ranks reduce and gather") {
  TeamOfThreads team(8, {}, 1U << 20U);
  for (const auto& rung : kCollectives) {
    CAPTURE(rung);
    auto step = step_of(rung);
    step.sizes = {4, 40000};
    check_all_passed(team.run(step));
  }
}

TEST_CASE("a barrier lets nobody go before all have come") {
  TeamOfThreads team(4);
  auto step = step_of("ccl.barrier");
  step.rounds = 20;
  check_all_passed(team.run(step));
}

TEST_CASE("data that an injected fault spoiled are found and classified") {
  TeamOfThreads team(2, {"wrong-data:rank1@all_reduce"});
  auto step = step_of("ccl.allreduce");
  step.sizes = {4 * 2500};
  const auto results = team.run(step);
  CHECK(results[0].state == ProbeState::passed);
  CHECK(results[1].state == ProbeState::wrong_data);
  CHECK(results[1].wrong_words == 3);
  CHECK(results[1].checked_words == 2500);
  CHECK(results[1].wrong_how.find("lost 3; first at byte 0: ") == 0);
  CHECK(results[1].reason == "all_reduce of 10000 bytes: 3 of 2500 words are wrong");
  CHECK(results[1].bytes == 10000);
}

TEST_CASE("an injected refusal says that it is one") {
  TeamOfThreads team(2, {"refuse@ccl.init"});
  for (const auto& result : team.run(step_of("ccl.init"))) {
    CHECK(result.state == ProbeState::refused);
    CHECK(result.reason.find("injected fault: ") == 0);
  }
  check_all_passed(team.run(step_of("ccl.allreduce")));
}

TEST_CASE("a rung that nobody knows is skipped, with the reason") {
  TeamOfThreads team(1);
  const auto results = team.run(step_of("p2p.telepathy"));
  CHECK(results[0].state == ProbeState::skipped);
  CHECK(results[0].reason == "this rank knows no rung p2p.telepathy");
}

}  // namespace
}  // namespace gpucoop
