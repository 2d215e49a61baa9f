#include "probe/left_behind.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "state_bench.hpp"
#include "team_bench.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace gpucoop::probe::testing;

namespace {

/// A /proc of its own.
struct Procfs {
  StateHome home;
  [[nodiscard]] std::string path() const { return home.path() + "/proc"; }

  void add(std::int32_t pid, std::int32_t parent, const std::string& name, const std::string& variable = {},
           const std::string& users = "1000\t1000\t1000\t1000", char state = 'S') const {
    const auto folder = path() + "/" + std::to_string(pid);
    std::filesystem::create_directories(folder);
    // Every process started at 100 times its number.
    std::ofstream(folder + "/stat") << pid << " (" << name << ") " << state << " " << parent << " " << pid << " " << pid
                                    << " 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 " << pid * 100 << " 0 0\n";
    std::ofstream(folder + "/status") << "Name:\t" << name << "\nUid:\t" << users << "\nGid:\t1000\n";
    std::ofstream(folder + "/environ") << "PATH=/bin" << '\0' << variable << '\0' << "HOME=/" << '\0';
  }
};

std::vector<std::int32_t> numbers(const std::vector<LeftBehind>& processes) {
  std::vector<std::int32_t> pids;
  for (const auto& process : processes) pids.push_back(process.pid);
  return pids;
}

}  // namespace

TEST_CASE("Left behind is what a rank has started and neither its probe nor a keeper looks after") {
  const Procfs procfs;
  procfs.add(1, 0, "init");
  procfs.add(50, 1, "gpucoop");
  procfs.add(60, 1, "worker (a)", "GPUCOOP_RUN=40-4000");
  procfs.add(61, 60, "child", "GPUCOOP_RUN=40-4000");
  procfs.add(62, 1, "of a living probe", "GPUCOOP_RUN=50-5000");
  procfs.add(63, 1, "number used again", "GPUCOOP_RUN=50-4999");
  procfs.add(64, 1, "gpucoop-keeper");
  procfs.add(65, 64, "still kept", "GPUCOOP_RUN=40-4000");
  procfs.add(66, 65, "still kept too", "GPUCOOP_RUN=40-4000");
  procfs.add(67, 1, "of somebody else", "GPUCOOP_RUN=40-4000", "1001\t1001\t1001\t1001");
  procfs.add(68, 1, "with more rights", "GPUCOOP_RUN=40-4000", "1000\t0\t0\t0");
  procfs.add(69, 1, "ended", "GPUCOOP_RUN=40-4000", "1000\t1000\t1000\t1000", 'Z');
  procfs.add(70, 1, "no mark", "MY_GPUCOOP_RUN=40-4000");
  for (const std::string wrong : {"GPUCOOP_RUN=", "GPUCOOP_RUN=40", "GPUCOOP_RUN=40-", "GPUCOOP_RUN=-1-5",
                                  "GPUCOOP_RUN=40-4000x", "GPUCOOP_RUN=99999999999-1"}) {
    static std::int32_t pid = 70;
    procfs.add(++pid, 1, "wrong mark", wrong);
  }
  procfs.add(::getpid(), 60, "this one", "GPUCOOP_RUN=40-4000");
  const auto found = left_behind(1000, procfs.path());
  // 60 is where this process comes from.
  CHECK(numbers(found) == std::vector<std::int32_t>{61, 63});
  CHECK(found.at(0).probe == 40);
  CHECK(found.at(0).started == 6100);
  CHECK(found.at(0).name == "child");
  CHECK(numbers(left_behind(1001, procfs.path())) == std::vector<std::int32_t>{67});
  CHECK(left_behind(1000, procfs.path() + "/none").empty());
}

TEST_CASE("What is told of it") {
  LeftBehind process{61, 6100, "worker", 40, '?'};
  CHECK(sentence(process) == "process 61 (worker), left behind by a probe that was killed (pid 40), was ended");
  process.state = 'D';
  CHECK(sentence(process).find("could not be ended (state D)") != std::string::npos);
}

TEST_CASE("When a probe and its keeper are killed at once, what ranks had started is ended by the next one") {
  Scratch scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    StepEnd how;
    auto team = Team::start(fakes(2, scratch), how);
    if (!team) ::_exit(1);
    static_cast<void>(team.value()->run(step(1, "double-fork", {0, 1}), milliseconds(600000), {}));
    ::_exit(2);
  }
  scratch.wait_for(4);
  const auto rank = process_state(scratch.noted().at(0));
  REQUIRE(rank);
  const auto keeper = rank->parent;
  REQUIRE(keeper != ::getpid());
  // Neither sees the other one go.
  ::kill(child, SIGSTOP);
  ::kill(keeper, SIGSTOP);
  ::kill(child, SIGKILL);
  ::kill(keeper, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (int tries = 0; tries < 1000 && lives(keeper); ++tries) std::this_thread::sleep_for(milliseconds(10));
  // Another probe of this user that begins right now may have been faster, so that it is not looked at who was found.
  for (const auto& found : end_left_behind()) CHECK(found.state == '?');
  CHECK(scratch.all_gone());
}
