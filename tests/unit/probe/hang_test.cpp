#include "probe/hang.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;
using namespace gpucoop::probe;
using Doing = wire::Progress::Doing;

namespace {

wire::Step crossed() {
  wire::Step step;
  step.id = 9;
  step.ranks = {0, 1, 2, 3};
  step.groups = {{"tp0", {0, 1}}, {"tp1", {2, 3}}, {"dp0", {0, 2}}, {"dp1", {1, 3}}};
  return step;
}

RankLook look(unsigned rank, Doing doing, std::uint32_t group, std::uint32_t round) {
  RankLook seen;
  seen.rank = rank;
  seen.state = 'S';
  seen.step = 9;
  seen.doing = doing;
  seen.group = group;
  seen.round = round;
  return seen;
}

}  // namespace

TEST_CASE("Ranks that wait for each other in crossed communicators are told with communicator and round") {
  const auto report = describe_hang(crossed(), {look(0, Doing::waiting, 0, 17), look(1, Doing::waiting, 3, 16),
                                                look(2, Doing::waiting, 2, 17), look(3, Doing::waiting, 1, 17)});
  CHECK(report.kind == Hang::all_waiting);
  CHECK(report.text ==
        "all wait: rank 0 waits in tp0 (ranks 0, 1) at round 17; rank 1 waits in dp1 (ranks 1, 3) at round 16; "
        "rank 2 waits in dp0 (ranks 0, 2) at round 17; rank 3 waits in tp1 (ranks 2, 3) at round 17");
}

TEST_CASE("Who has answered is left out, and who is missing comes first") {
  auto answered = look(0, Doing::done, 0, 0);
  answered.answered = true;
  auto waiting = look(1, Doing::waiting, 3, 2);
  waiting.op = 4;
  auto gone = look(3, Doing::working, 3, 1);
  gone.gone = true;
  const auto report = describe_hang(crossed(), {answered, waiting, look(2, Doing::nothing, 0, 0), gone});
  CHECK(report.kind == Hang::one_missing);
  CHECK(report.text ==
        "not all have come: rank 2 has not begun; rank 3 has gone; rank 1 waits in dp1 (ranks 1, 3) at "
        "round 2, operation 4");
  CHECK(describe_hang(crossed(), {answered}).kind == Hang::none);
  CHECK(describe_hang(crossed(), {}).text.empty());
}

TEST_CASE("What another step has left behind is nothing of this one") {
  auto old = look(2, Doing::waiting, 0, 5);
  old.step = 8;
  CHECK(describe_hang(crossed(), {old}).text == "nobody waits or works: rank 2 has not begun");
}

TEST_CASE("A stopped rank explains more than ranks that wait, and a blocked one too") {
  auto stopped = look(1, Doing::waiting, 0, 5);
  stopped.state = 'T';
  auto blocked = look(2, Doing::working, 1, 5);
  blocked.state = 'D';
  blocked.wchan = "nvidia_ioctl";
  const auto both = describe_hang(crossed(), {look(0, Doing::waiting, 0, 5), blocked, stopped});
  CHECK(both.kind == Hang::stopped);
  const auto report = describe_hang(crossed(), {look(0, Doing::waiting, 0, 5), blocked});
  CHECK(report.kind == Hang::blocked);
  CHECK(report.text ==
        "not all have come: rank 2 is blocked in the kernel (state D, in nvidia_ioctl) in tp1 (ranks 2, 3) at round "
        "5; rank 0 waits in tp0 (ranks 0, 1) at round 5");
}

TEST_CASE("A rank that works on is slow, one that only uses a processor spins") {
  auto slow = look(0, Doing::working, 0, 5);
  slow.moves = slow.uses_processor = true;
  CHECK(describe_hang(crossed(), {slow}).text == "still going on: rank 0 still works in tp0 (ranks 0, 1) at round 5");
  auto spins = slow;
  spins.moves = false;
  CHECK(describe_hang(crossed(), {spins}).kind == Hang::spinning);
  CHECK(describe_hang(crossed(), {look(0, Doing::working, 9, 5)}).text ==
        "nobody waits or works: rank 0 sleeps at round 5");
  auto sleeps = look(0, Doing::working, 0, 5);
  sleeps.wchan = "do_nanosleep";
  CHECK(describe_hang(crossed(), {sleeps}).text ==
        "nobody waits or works: rank 0 sleeps in the kernel (do_nanosleep) in tp0 (ranks 0, 1) at round 5");
}

TEST_CASE("Of many ranks the first eight are told") {
  std::vector<RankLook> looks;
  for (unsigned rank = 0; rank < 64; ++rank) looks.push_back(look(rank, Doing::waiting, 0, 1));
  const auto text = describe_hang(crossed(), looks).text;
  CHECK(text.find("rank 7 waits") != std::string::npos);
  CHECK(text.find("rank 8 waits") == std::string::npos);
  CHECK(text.substr(text.size() - 13) == "; and 56 more");
}
