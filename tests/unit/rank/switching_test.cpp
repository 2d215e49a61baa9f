#include <algorithm>

#include "rank/switch_program.hpp"
#include "team_of_threads.hpp"

namespace gpucoop {
namespace {

std::vector<wire::Group> crossed_pairs() {
  return {{"tp0", {0, 1}}, {"tp1", {2, 3}}, {"dp0", {0, 2}}, {"dp1", {1, 3}}, {"ep0", {0, 1, 2, 3}}};
}

wire::Step switching(const std::string& sequence, wire::Sync sync, std::uint32_t rounds) {
  auto step = step_of("ccl.switching");
  step.groups = crossed_pairs();
  if (sequence == "alternate") step.groups.pop_back();
  step.sequence = sequence;
  step.sync = sync;
  step.rounds = rounds;
  step.sizes = {65536, 1024};
  return step;
}

/// Steps of the other modes work: a mode that hangs leaves the team unusable.
std::vector<wire::StepResult> with_global_state(wire::Step step) {
  TeamOfThreads team(4, {"global-state"});
  step.limit_ms = 1000;
  return team.run(step);
}

TEST_CASE("crossed groups alternate in every mode, with every sequence") {
  TeamOfThreads team(4);
  for (const std::string sequence : {"alternate", "moe-dp", "moe-ep"}) {
    for (const auto sync : {wire::Sync::none, wire::Sync::stream, wire::Sync::rendezvous}) {
      CAPTURE(sequence);
      CAPTURE(static_cast<int>(sync));
      const auto results = team.run(switching(sequence, sync, 40));
      check_all_passed(results);
      for (const auto& result : results) CHECK(result.checked_words > 40 * 500);
    }
  }
}

TEST_CASE("a layer of experts over data-parallel groups is what engines do") {
  const auto step = switching("moe-dp", wire::Sync::none, 1);
  const auto ops = rank::switch_program(step, 2, 1600);
  REQUIRE(ops.has_value());
  REQUIRE(ops->size() == 5);
  // Rank 2 belongs to the second replica, which has 401 of 800 tokens.
  CHECK((*ops)[0].group == 1);
  CHECK((*ops)[0].collective == rank::Collective::all_reduce);
  CHECK((*ops)[0].count == 401);
  CHECK((*ops)[1].group == 2);
  CHECK((*ops)[1].collective == rank::Collective::all_gather_v);
  CHECK((*ops)[1].counts == std::vector<std::uint64_t>{800, 401});
  CHECK((*ops)[2].counts == std::vector<std::uint64_t>{51, 26});
  CHECK((*ops)[3].collective == rank::Collective::reduce_scatter_v);
  CHECK((*ops)[4].group == 1);
}

TEST_CASE("a layer of experts over all ranks gathers shares") {
  const auto step = switching("moe-ep", wire::Sync::none, 1);
  const auto ops = rank::switch_program(step, 0, 1600);
  REQUIRE(ops.has_value());
  REQUIRE(ops->size() == 5);
  CHECK((*ops)[1].group == 4);
  CHECK((*ops)[1].counts == std::vector<std::uint64_t>{400, 400, 201, 201});
  CHECK((*ops)[4].collective == rank::Collective::all_gather);
  CHECK((*ops)[4].count == 400);
  CHECK_FALSE(rank::switch_program(switching("dance", wire::Sync::none, 1), 0, 1600).has_value());
}

TEST_CASE("a fault of one rank in one group strikes while groups are taken in turn, and is there to be seen") {
  TeamOfThreads team(4, {"refuse:rank1@dp1"});
  auto alone = step_of("ccl.subgroups");
  alone.groups = {{"dp0", {0, 2}}, {"dp1", {1, 3}}};
  check_all_passed(team.run(alone));
  auto step = switching("alternate", wire::Sync::none, 40);
  step.limit_ms = 3000;
  const auto results = team.run(step);
  CHECK(results[1].state == ProbeState::refused);
  CHECK(results[1].reason.find("injected fault: all_reduce is refused by rank 1") == 0);
  CHECK(team.board().progress(1).group.load() == 3);
  CHECK(team.board().progress(1).round.load() == 0);
  CHECK(team.board().progress(1).op.load() == 1);
  // Its partner waits in that group, and the other two for it in the groups of the next round.
  CHECK(results[3].state == ProbeState::hung);
  CHECK(results[3].reason.find("waits in dp1 at round 0, operation 1") != std::string::npos);
  CHECK(results[0].reason.find("waits in tp0 at round 1, operation 0") != std::string::npos);
  CHECK(results[2].reason.find("waits in tp1 at round 1, operation 0") != std::string::npos);
}

TEST_CASE("with process-global state each group works alone") {
  TeamOfThreads team(4, {"global-state"});
  auto step = step_of("ccl.subgroups");
  step.groups = crossed_pairs();
  step.rounds = 2;
  check_all_passed(team.run(step));
  check_all_passed(team.run(step));
  check_all_passed(team.run(step_of("ccl.allreduce")));
  check_all_passed(team.run(step_of("ccl.alltoall")));
  auto pairs = step_of("ccl.allreduce");
  for (const auto& ranks : std::vector<std::vector<unsigned>>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}) {
    pairs.ranks = ranks;
    check_all_passed(team.run(pairs));
  }
}

TEST_CASE("with process-global state crossed groups that alternate wait for each other for ever") {
  for (const std::string sequence : {"alternate", "moe-dp", "moe-ep"}) {
    for (const auto sync : {wire::Sync::none, wire::Sync::stream}) {
      CAPTURE(sequence);
      CAPTURE(static_cast<int>(sync));
      const auto results = with_global_state(switching(sequence, sync, 200));
      unsigned waiting = 0;
      for (const auto& result : results) {
        CHECK(result.state == ProbeState::hung);
        if (result.reason.find("waits in ") == 0) ++waiting;
      }
      CHECK(waiting == 4);
    }
  }
}

TEST_CASE("a rendezvous of all ranks between operations cures it") {
  for (const std::string sequence : {"alternate", "moe-dp", "moe-ep"}) {
    CAPTURE(sequence);
    auto step = switching(sequence, wire::Sync::rendezvous, 60);
    TeamOfThreads team(4, {"global-state"});
    check_all_passed(team.run(step));
  }
}

TEST_CASE("two communicators over the same ranks work at once, with process-global state as well") {
  for (const auto& faults : {std::vector<std::string>{}, std::vector<std::string>{"global-state"}}) {
    TeamOfThreads team(3, faults);
    auto step = step_of("ccl.concurrent");
    step.sizes = {1U << 20U, 4096};
    step.rounds = 10;
    check_all_passed(team.run(step));
  }
}

TEST_CASE("wrong data while switching are found, with the group and the round") {
  TeamOfThreads team(4, {"wrong-data:rank2@reduce_scatter_v"});
  auto step = switching("moe-dp", wire::Sync::stream, 5);
  step.limit_ms = 1000;
  const auto results = team.run(step);
  CHECK(results[2].state == ProbeState::wrong_data);
  CHECK(results[2].reason.find("reduce_scatter_v in dp0, round 0: ") == 0);
}

}  // namespace
}  // namespace gpucoop
