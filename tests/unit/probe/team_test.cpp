#include "probe/team.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <filesystem>

#include "team_bench.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace gpucoop::probe::testing;
using How = RankEnd::How;

namespace {

/// Of a step that had a short deadline: everything is over 5 seconds after it.
constexpr milliseconds kShort(2000);
constexpr double kLatest = 2.0 + 5;

}  // namespace

TEST_CASE("Ranks answer step after step, and end when they are let go") {
  const Fakes fakes(3);
  CHECK(fakes.how.results.size() == 3);
  CHECK(fakes.team->usable());
  CHECK(fakes.team->processes().size() == 3);
  CHECK(lives(fakes.team->processes().back()));
  for (std::uint32_t id = 1; id <= 5; ++id) {
    const auto end = fakes.run(id, "answer", {0, 1, 2});
    REQUIRE(end.results.size() == 3);
    CHECK(end.results[2].rank == 2);
    CHECK(end.results[2].id == id);
    CHECK(end.results[2].checked_words == 7);
    CHECK(end.ranks[0].how == How::alive);
    CHECK_FALSE(end.timed_out);
    CHECK_FALSE(end.garbage);
    CHECK(end.hang == Hang::none);
    CHECK(end.where_stuck.empty());
  }
  const auto some = fakes.run(6, "answer", {2, 0});
  REQUIRE(some.results.size() == 2);
  CHECK(some.results[0].rank == 2);
  CHECK(fakes.team->usable());
  const auto ends = fakes.team->end();
  REQUIRE(ends.size() == 3);
  CHECK(ends[1].how == How::exited);
  CHECK(ends[1].code == 0);
  CHECK_FALSE(fakes.team->usable());
  CHECK(fakes.scratch.all_gone());
  CHECK(fakes.run(7, "answer", {0}).results.empty());
}

TEST_CASE("A rank that is blocked in the kernel is told, and one that even KILL does not end is given up") {
  // A file on a file system that may be frozen: tests/unit/probe/frozen_test.py makes one.
  const char* const file = std::getenv("GPUCOOP_FREEZABLE_FILE");
  if (file == nullptr) return;
  const int folder = ::open(std::filesystem::path(file).parent_path().c_str(), O_RDONLY | O_CLOEXEC);
  Scratch scratch;
  auto setup = fakes(2, scratch);
  setup.environment = {{"FAKE_FROZEN", file}};
  StepEnd how;
  auto team = Team::start(setup, how);
  REQUIRE(team);
  REQUIRE(::ioctl(folder, FIFREEZE, 0) == 0);
  const auto begin = Clock::now();
  const auto end = team.value()->run(step(4, "frozen@1", {0, 1}), kShort, {});
  const auto seconds = seconds_since(begin);
  const auto ends = team.value()->end();
  team.value().reset();
  const auto in_all = seconds_since(begin);
  const bool left = lives(end.ranks.at(1).pid);
  // Whatever was found: the process must be able to end.
  REQUIRE(::ioctl(folder, FITHAW, 0) == 0);
  ::close(folder);
  CHECK(seconds < kLatest);
  CHECK(in_all < kLatest);
  CHECK(end.timed_out);
  CHECK(end.results.size() == 1);
  CHECK(end.ranks[0].how == How::alive);
  CHECK(end.ranks[1].how == How::unkillable);
  CHECK(end.ranks[1].state == 'D');
  CHECK(ends[1].how == How::unkillable);
  CHECK(end.hang == Hang::blocked);
  CHECK(end.where_stuck.find("not all have come: rank 1 is blocked in the kernel (state D, in ") == 0);
  CHECK(end.where_stuck.find(") in set (ranks 0, 1) at round 2") != std::string::npos);
  CHECK(left);
  CHECK(scratch.all_gone());
}

TEST_CASE("A rank that hangs is found at the deadline, and where it waits") {
  const Fakes fakes(2);
  const auto begin = Clock::now();
  const auto end = fakes.run(4, "hang@1", {0, 1}, kShort);
  CHECK(seconds_since(begin) < kLatest);
  CHECK(end.seconds < seconds_since(begin));
  CHECK(end.timed_out);
  REQUIRE(end.results.size() == 1);
  CHECK(end.results[0].rank == 0);
  CHECK(end.ranks[0].how == How::alive);
  CHECK(end.ranks[1].how == How::killed);
  CHECK(end.ranks[1].code == SIGTERM);
  CHECK(end.ranks[1].state == 'S');
  CHECK(end.hang == Hang::all_waiting);
  CHECK(end.where_stuck == "all wait: rank 1 waits in set (ranks 0, 1) at round 3");
  CHECK_FALSE(fakes.team->usable());
  CHECK(fakes.scratch.all_gone());
}

TEST_CASE("A rank that ignores TERM is killed") {
  const Fakes fakes(2);
  const auto begin = Clock::now();
  const auto end = fakes.run(4, "ignore-term@0", {0, 1}, kShort);
  CHECK(seconds_since(begin) < kLatest);
  CHECK(end.timed_out);
  CHECK(end.ranks[0].how == How::killed);
  CHECK(end.ranks[0].code == SIGKILL);
  CHECK(end.ranks[0].output == "I stay\n");
  CHECK(end.where_stuck == "all wait: rank 0 waits in dp1 (rank 1) at round 17");
  CHECK(fakes.scratch.all_gone());
}

TEST_CASE("A rank that is stopped is told from one that waits") {
  const Fakes fakes(2);
  const auto begin = Clock::now();
  const auto end = fakes.run(4, "stop@0", {0, 1}, kShort);
  CHECK(seconds_since(begin) < kLatest);
  CHECK(end.timed_out);
  CHECK(end.ranks[0].how == How::killed);
  CHECK(end.ranks[0].state == 'T');
  CHECK(end.hang == Hang::stopped);
  CHECK(end.where_stuck == "not all have come: rank 0 is stopped (state T) in set (ranks 0, 1) at round 5");
  CHECK(fakes.scratch.all_gone());
}

TEST_CASE("A rank that spins is told from one that waits") {
  const Fakes fakes(1);
  const auto end = fakes.run(4, "spin", {0}, kShort);
  CHECK(end.timed_out);
  CHECK(end.hang == Hang::spinning);
  CHECK(end.where_stuck == "nobody waits: rank 0 spins in set (rank 0) at round 0");
  CHECK(fakes.scratch.all_gone());
}

TEST_CASE("What a rank has left in a session of its own goes with the team") {
  const Fakes fakes(2);
  SUBCASE("after a hang") {
    const auto end = fakes.run(4, "double-fork@1", {0, 1}, kShort);
    CHECK(end.timed_out);
  }
  SUBCASE("after all went well") {
    const auto end = fakes.run(4, "orphan-and-answer", {0, 1});
    CHECK(end.results.size() == 2);
    fakes.scratch.wait_for(4);
    fakes.team->end();
  }
  CHECK(fakes.scratch.noted().size() >= 3);
  CHECK(fakes.scratch.all_gone());
}

TEST_CASE("A rank that writes and writes is drained, and the end of it is kept") {
  const Fakes fakes(2);
  const auto end = fakes.run(4, "spam@1", {0, 1});
  REQUIRE(end.results.size() == 2);
  CHECK(fakes.team->usable());
  const auto ends = fakes.team->end();
  CHECK(ends[1].output_bytes == 64U * 1024 * 1024 + 14);
  CHECK(ends[1].output.size() == 16384);
  CHECK(ends[1].output.substr(16384 - 15) == "\nthe end of it\n");
  CHECK(ends[0].output.empty());
}

TEST_CASE("A rank that writes for ever does not keep the deadline from passing") {
  const Fakes fakes(2);
  const auto begin = Clock::now();
  const auto end = fakes.run(4, "spam-for-ever", {0, 1}, kShort);
  CHECK(seconds_since(begin) < kLatest);
  CHECK(end.timed_out);
  CHECK(end.ranks[0].output == std::string(16384, 'f'));
  CHECK(fakes.scratch.all_gone());
}

TEST_CASE("Something else than the result of the step is garbage, and no answer") {
  for (const std::string what : {"garbage", "garbage-frame", "half-frame", "other-step"}) {
    CAPTURE(what);
    const Fakes fakes(2);
    const auto end = fakes.run(4, what + "@1", {0, 1});
    CHECK(end.garbage);
    CHECK_FALSE(end.ranks[0].garbage);
    CHECK(end.ranks[1].garbage);
    CHECK_FALSE(end.timed_out);
    CHECK(end.results.size() == 1);
    CHECK_FALSE(fakes.team->usable());
    CHECK(fakes.scratch.all_gone());
  }
}

TEST_CASE("A second answer to one step ends the team at the latest with the next step") {
  const Fakes fakes(1);
  fakes.run(4, "twice", {0});
  const auto next = fakes.run(5, "late", {0});
  CHECK(next.ranks[0].garbage);
  CHECK(next.results.empty());
  CHECK_FALSE(fakes.team->usable());
}

TEST_CASE("A rank that ends is told from one that crashes, with what it said") {
  const Fakes fakes(2);
  SUBCASE("it exits") {
    const auto end = fakes.run(4, "exit@1", {0, 1});
    CHECK(end.ranks[1].how == How::exited);
    CHECK(end.ranks[1].code == 42);
    CHECK(end.ranks[1].output == "I have had enough\n");
    CHECK_FALSE(end.timed_out);
    CHECK(end.results.size() == 1);
  }
  SUBCASE("it crashes") {
    const auto end = fakes.run(4, "segfault@0", {0, 1});
    CHECK(end.ranks[0].how == How::signalled);
    CHECK(end.ranks[0].code == SIGSEGV);
    CHECK(end.ranks[1].how == How::alive);
    CHECK_FALSE(end.timed_out);
    CHECK(end.where_stuck == "nobody waits or works: rank 0 has gone");
  }
  SUBCASE("it closes its channel and stays") {
    const auto begin = Clock::now();
    const auto end = fakes.run(4, "close@0", {0, 1});
    CHECK(seconds_since(begin) < 30);
    CHECK(end.ranks[0].how == How::killed);
  }
  CHECK_FALSE(fakes.team->usable());
  CHECK(fakes.scratch.all_gone());
}

TEST_CASE("The others are not waited for until the deadline when one has crashed") {
  const Fakes fakes(3);
  const auto begin = Clock::now();
  auto what = step(4, "hang", {0, 2});
  const auto killed = fakes.scratch.noted();
  REQUIRE(killed.size() == 3);
  std::thread killer([&] {
    std::this_thread::sleep_for(milliseconds(200));
    ::kill(killed.front(), SIGKILL);
  });
  what.ranks = {0, 1, 2};
  const auto end = fakes.team->run(what, milliseconds(60000), {});
  killer.join();
  CHECK(seconds_since(begin) < 30);
  CHECK_FALSE(end.timed_out);
  CHECK(std::count_if(end.ranks.begin(), end.ranks.end(), [](const RankEnd& r) { return r.how == How::signalled; }) ==
        1);
  CHECK(std::count_if(end.ranks.begin(), end.ranks.end(), [](const RankEnd& r) { return r.how == How::killed; }) == 2);
  CHECK(fakes.scratch.all_gone());
}

TEST_CASE("Nor when one has failed and the others wait for it in vain") {
  for (const bool gone : {false, true}) {
    CAPTURE(gone);
    const Fakes fakes(3);
    const auto begin = Clock::now();
    const auto end = fakes.run(4, gone ? "exit@1/hang" : "refuse@1/hang", {1, 2});
    CHECK(seconds_since(begin) < 30);
    CHECK(end.seconds >= 1.4);
    CHECK(end.cut_short);
    CHECK_FALSE(end.timed_out);
    CHECK(end.results.size() == (gone ? 0 : 1));
    CHECK(end.ranks[0].how == (gone ? How::exited : How::alive));
    CHECK(end.ranks[1].how == How::killed);
    CHECK(end.others == "rank 2 waits in set (ranks 1, 2) at round 3");
    CHECK_FALSE(fakes.team->usable());
    CHECK(fakes.scratch.all_gone());
  }
}

TEST_CASE("Who gets on without the one that has failed may come to its end") {
  const Fakes fakes(2);
  const auto end = fakes.run(4, "refuse@0/works", {0, 1});
  CHECK(end.seconds >= 2.4);
  CHECK_FALSE(end.cut_short);
  CHECK(end.results.size() == 2);
  CHECK(end.others.empty());
  CHECK(fakes.team->usable());
}

TEST_CASE("A step that goes on for long is over when nobody gets on any more") {
  const Fakes fakes(2);
  const auto time = StepTime(milliseconds(600000), milliseconds(1000));
  SUBCASE("one that does") {
    const auto end = fakes.team->run(step(4, "works", {0, 1}), time, {});
    CHECK(end.seconds >= 2.4);
    CHECK(end.results.size() == 2);
    CHECK_FALSE(end.stood_still);
  }
  SUBCASE("one that does not") {
    const auto end = fakes.team->run(step(4, "hang", {0, 1}), time, {});
    CHECK(end.seconds < 60);
    CHECK(end.timed_out);
    CHECK(end.stood_still);
    CHECK(end.where_stuck ==
          "all wait: rank 0 waits in set (ranks 0, 1) at round 3; rank 1 waits in set (ranks 0, 1) at round 3");
    CHECK(fakes.scratch.all_gone());
  }
}

TEST_CASE("A deadline that comes before is kept") {
  // On a machine that is busy one step may end late, but not each.
  double soonest = 60;
  for (int tries = 0; tries < 5 && soonest >= 1.4; ++tries) {
    const Fakes fakes(2);
    const auto end = fakes.run(4, "refuse@0/hang", {0, 1}, milliseconds(500));
    soonest = std::min(soonest, end.seconds);
    CHECK(end.cut_short);
    CHECK(end.results.size() == 1);
    CHECK(fakes.scratch.all_gone());
  }
  CHECK(soonest < 1.4);
}

TEST_CASE("An answer that is a refusal ends nothing") {
  const Fakes fakes(2);
  const auto end = fakes.run(4, "refuse@1", {0, 1});
  REQUIRE(end.results.size() == 2);
  CHECK(end.results[1].state == ProbeState::refused);
  CHECK(end.results[1].reason == "no such device (100)");
  CHECK(fakes.team->usable());
  CHECK(fakes.run(5, "answer", {0, 1}).results.size() == 2);
}

TEST_CASE("Whoever watches can end a step") {
  const Fakes fakes(2);
  int ticks = 0;
  const auto begin = Clock::now();
  const auto end = fakes.team->run(step(4, "hang", {0, 1}), milliseconds(60000), [&] { return ++ticks < 3; });
  CHECK(seconds_since(begin) < 30);
  CHECK(ticks == 3);
  CHECK(end.interrupted);
  CHECK_FALSE(end.timed_out);
  CHECK(fakes.scratch.all_gone());
}
