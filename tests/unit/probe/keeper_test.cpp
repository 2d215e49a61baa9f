#include "probe/keeper.hpp"

#include <doctest/doctest.h>
#include <sys/prctl.h>

#include "probe/interrupt.hpp"
#include "team_bench.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace gpucoop::probe::testing;

namespace {

/// Runs a team in a process of its own, in which every rank does `what` for ever.
pid_t driver(const Scratch& scratch, const std::string& what, bool interruptible) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  const std::unique_ptr<Interrupt> interrupt(interruptible ? new Interrupt : nullptr);
  StepEnd how;
  auto team = Team::start(fakes(2, scratch), how);
  if (!team) ::_exit(1);
  const auto end = team.value()->run(step(1, what, {0, 1}), milliseconds(600000), {});
  team.value()->end();
  ::_exit(end.interrupted ? 42 : 2);
}

int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// The keeper of a team that this process has.
std::int32_t keeper_of(const Scratch& scratch) {
  const auto rank = process_state(scratch.noted().at(0));
  REQUIRE(rank);
  REQUIRE(rank->parent != ::getpid());
  return rank->parent;
}

}  // namespace

TEST_CASE("When the process that runs a team is killed, nothing is left") {
  for (const std::string what : {"hang", "ignore-term", "stop", "double-fork", "spin", "spam-for-ever"}) {
    CAPTURE(what);
    Scratch scratch;
    const auto child = driver(scratch, what, false);
    // Orphans count: they are noted as well.
    scratch.wait_for(what == "double-fork" ? 4 : 2);
    const auto keeper = keeper_of(scratch);
    ::kill(child, SIGKILL);
    CHECK(WIFSIGNALED(end_of(child)));
    CHECK(scratch.all_gone());
    for (int tries = 0; tries < 1000 && lives(keeper); ++tries) std::this_thread::sleep_for(milliseconds(10));
    CHECK_FALSE(lives(keeper));
  }
}

TEST_CASE("A signal to the process that runs a team ends the team first") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    Scratch scratch;
    const auto child = driver(scratch, "ignore-term", true);
    scratch.wait_for(2);
    ::kill(child, signal);
    const auto status = end_of(child);
    REQUIRE(WIFEXITED(status));
    CHECK((WEXITSTATUS(status) == 42 || WEXITSTATUS(status) == 1));
    for (const auto pid : scratch.noted()) CHECK_FALSE(lives(pid));
  }
}

TEST_CASE("A process that is ended by a signal without catching it leaves nothing either") {
  Scratch scratch;
  const auto child = driver(scratch, "double-fork", false);
  scratch.wait_for(4);
  ::kill(child, SIGTERM);
  CHECK(WIFSIGNALED(end_of(child)));
  CHECK(scratch.all_gone());
}

TEST_CASE("When the keeper is killed or stopped, the team is ended without it, orphans included") {
  for (const int signal : {SIGKILL, SIGSTOP, SIGTERM}) {
    CAPTURE(signal);
    const Fakes fakes(2);
    const auto keeper = keeper_of(fakes.scratch);
    const auto begin = Clock::now();
    int ticks = 0;
    const auto end = fakes.team->run(step(1, "double-fork", {0, 1}), milliseconds(3000), [&] {
      if (++ticks == 5) {
        fakes.scratch.wait_for(4);
        ::kill(keeper, signal);
      }
      return true;
    });
    CHECK(seconds_since(begin) < 3 + 5);
    CHECK(end.trouble == "the process that keeps the ranks was ended or stopped from outside");
    CHECK(end.timed_out == (signal == SIGSTOP));
    CHECK(end.results.empty());
    CHECK_FALSE(fakes.team->usable());
    CHECK(fakes.scratch.all_gone());
    CHECK_FALSE(lives(keeper));
  }
}

TEST_CASE("A process that runs a team keeps its own children, and is what it was before") {
  int before = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &before);
  const pid_t own = ::fork();
  if (own == 0) {
    ::setsid();
    ::pause();
    ::_exit(0);
  }
  {
    const Fakes fakes(1);
    ::kill(keeper_of(fakes.scratch), SIGKILL);
    CHECK_FALSE(fakes.run(1, "late", {0}).trouble.empty());
  }
  CHECK(lives(own));
  ::kill(own, SIGKILL);
  CHECK(WIFSIGNALED(end_of(own)));
  int after = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &after);
  CHECK(after == before);
}
