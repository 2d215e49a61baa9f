#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>

#include "team_bench.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace gpucoop::probe::testing;

TEST_CASE("A rank has its descriptors, its group, its environment, and nothing else of its parent") {
  Scratch scratch;
  auto setup = fakes(2, scratch);
  const int stray = ::dup(STDERR_FILENO);
  ::setenv("FAKE_UNSET", "there", 1);
  setup.environment = {{"FAKE_SET", "given"}};
  setup.unset = {"FAKE_UNSET"};
  StepEnd how;
  auto team = Team::start(setup, how);
  REQUIRE(team);
  const auto end = team.value()->run(step(1, "report", {0, 1}), milliseconds(60000), {});
  REQUIRE(end.results.size() == 2);
  const auto& text = end.results[0].reason;
  const auto start = "0 1 2 3 4 uid " + std::to_string(::getuid()) + " ";
  CHECK(text.substr(0, start.size()) == start);
  CHECK(text.find(" group 1 ") != std::string::npos);
  CHECK(text.find(" FAKE_SET=given ") != std::string::npos);
  CHECK(text.find(" FAKE_UNSET= ") != std::string::npos);
  ::close(stray);
  ::unsetenv("FAKE_UNSET");
}

TEST_CASE("Under sudo ranks are the user who called it, and die with their keeper all the same") {
  if (::geteuid() != 0) return;  // only root can become somebody else
  Scratch scratch;
  auto setup = fakes(2, scratch);
  // Where that user can reach it.
  std::filesystem::copy_file(setup.executable, scratch.program());
  setup.executable = scratch.program();
  std::ofstream(scratch.notes()) << "";
  ::chmod(scratch.notes().c_str(), 0666);
  setup.privilege = Privilege{Privilege::Kind::sudo, {65534, 65534, {65534}, "", "/nonexistent"}};
  StepEnd how;
  auto team = Team::start(setup, how);
  REQUIRE(team);
  auto end = team.value()->run(step(1, "report", {0, 1}), milliseconds(60000), {});
  REQUIRE(end.results.size() == 2);
  CHECK(end.results[1].reason.find(" uid 65534 ") != std::string::npos);
  CHECK(end.results[1].reason.find(" HOME=/nonexistent") != std::string::npos);
  const auto rank = process_state(team.value()->processes().at(0));
  REQUIRE(rank);
  ::kill(rank->parent, SIGKILL);
  end = team.value()->run(step(2, "ignore-term", {0, 1}), milliseconds(60000), {});
  CHECK_FALSE(end.trouble.empty());
  CHECK(scratch.all_gone());
}

TEST_CASE("A team whose ranks do not become ready is no team") {
  struct Case {
    const char* start;
    ExitCode code;
    const char* what;
  };
  for (const auto& tried : {Case{"refuse@1", ExitCode::no, "rank 1 cannot work: no such device (100)"},
                            Case{"hang@0", ExitCode::hung, "the ranks did not become ready in time"},
                            Case{"exit@1", ExitCode::no, "a rank ended before it was ready"},
                            Case{"garbage", ExitCode::no, "a rank ended before it was ready"}}) {
    CAPTURE(tried.start);
    Scratch scratch;
    auto setup = fakes(2, scratch, tried.start);
    const bool hangs = tried.code == ExitCode::hung;
    setup.start_deadline = hangs ? milliseconds(500) : milliseconds(60000);
    StepEnd how;
    const auto team = Team::start(setup, how);
    REQUIRE_FALSE(team);
    CHECK(team.error().code == tried.code);
    CHECK(team.error().what == tried.what);
    CHECK(how.timed_out == hangs);
    CHECK(how.ranks.size() == 2);
    CHECK(scratch.all_gone());
  }
}

TEST_CASE("A program that cannot be run says why") {
  Scratch scratch;
  auto setup = fakes(1, scratch);
  StepEnd how;
  std::fflush(stdout);  // the thread sanitizer writes what is left there when the copy of this process ends
  setup.executable = "/nonexistent/gpucoop-rank";
  CHECK(Team::start(setup, how).error().what == "a rank ended before it was ready");
  CHECK(how.ranks[0].code == 127);
  CHECK(how.ranks[0].output ==
        "gpucoop: a rank cannot be started: /nonexistent/gpucoop-rank: No such file or directory\n");
  setup.executable = "/etc/passwd";
  CHECK_FALSE(Team::start(setup, how));
  CHECK(how.ranks[0].code == 126);
  setup.executable = "gpucoop-rank";
  CHECK(Team::start(setup, how).error().code == ExitCode::internal);
  setup.devices.clear();
  setup.executable = "/bin/true";
  CHECK_FALSE(Team::start(setup, how));
}
