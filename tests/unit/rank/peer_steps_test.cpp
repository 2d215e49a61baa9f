#include "team_of_threads.hpp"

namespace gpucoop {
namespace {

wire::Step pair_step(const std::string& rung, unsigned from = 0, unsigned to = 1) {
  auto step = step_of(rung);
  step.ranks = {from, to};
  step.sizes = {4, 4096, (1U << 20U) + 4};
  return step;
}

TEST_CASE("two devices reach each other in every way, in both directions") {
  TeamOfThreads team(3);
  for (const std::string rung : {"p2p.access", "p2p.write", "p2p.read", "p2p.handshake", "p2p.atomics", "p2p.rate",
                                 "peer.copy", "host.handshake", "p2p.ipc"}) {
    CAPTURE(rung);
    const auto there = team.run(pair_step(rung, 0, 1));
    check_all_passed(there);
    check_all_passed(team.run(pair_step(rung, 2, 0)));
    if (rung != "p2p.access") CHECK(there[0].checked_words > 0);
    if (rung != "p2p.ipc") CHECK(there[1].checked_words == 0);
  }
}

TEST_CASE("handshakes have a latency and copies a rate") {
  TeamOfThreads team(2);
  CHECK(team.run(pair_step("p2p.handshake"))[0].latency_us.value_or(0) > 0);
  CHECK(team.run(pair_step("p2p.rate"))[0].gbytes_per_s.value_or(0) > 0);
}

TEST_CASE("both ranks check what a handle of the other process's memory gives") {
  TeamOfThreads team(2);
  const auto results = team.run(pair_step("p2p.ipc"));
  check_all_passed(results);
  // Three rounds of each size, by a kernel and on the host.
  const std::uint64_t words = 2 * 3 * (1 + 1024 + (1U << 18U) + 1);
  CHECK(results[0].checked_words == words);
  CHECK(results[1].checked_words == words);
}

TEST_CASE("a write that an injected fault spoiled is found by the owner, and the way is named") {
  TeamOfThreads team(2, {"wrong-data:rank0@kernel"});
  auto step = pair_step("p2p.write");
  step.op = "copy-engine";
  check_all_passed(team.run(step));
  step.op = "kernel";
  const auto results = team.run(step);
  CHECK(results[0].state == ProbeState::wrong_data);
  CHECK(results[0].wrong_words == 1);
  CHECK(results[0].wrong_how.find("lost 1; first at byte 0: ") == 0);
  CHECK(results[0].reason == "a write of 4 bytes by a kernel, as its owner reads it: 1 of 1 words are wrong");
  CHECK(results[1].state == ProbeState::passed);
}

TEST_CASE("a process that another one refuses does not wait for it until its deadline") {
  TeamOfThreads team(2, {"refuse:rank1@p2p.ipc"});
  const auto results = team.run(pair_step("p2p.ipc"));
  CHECK(results[1].state == ProbeState::refused);
  CHECK(results[0].state == ProbeState::failed);
  CHECK(results[0].reason.find("the other process failed: injected fault: ") == 0);
}

TEST_CASE("a pair is two different devices") {
  TeamOfThreads team(1);
  auto step = pair_step("p2p.write");
  step.ranks = {0};
  CHECK(team.run(step)[0].state == ProbeState::skipped);
}

}  // namespace
}  // namespace gpucoop
