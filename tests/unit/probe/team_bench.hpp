#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "probe/process_state.hpp"
#include "probe/team.hpp"

namespace gpucoop::probe::testing {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Whether a process is there and has not ended. Init may take its time to wait for those that have.
inline bool lives(std::int32_t pid) {
  const auto state = process_state(pid);
  return state && state->state != 'Z' && state->state != 'X';
}

/// A folder of its own that goes with it.
class Scratch {
 public:
  Scratch() {
    std::string name = "/tmp/gpucoop-test-XXXXXX";
    path_ = ::mkdtemp(name.data()) == nullptr ? "" : name;
    ::chmod(path_.c_str(), 0755);
  }
  ~Scratch() {
    ::unlink(notes().c_str());
    ::unlink(program().c_str());
    ::rmdir(path_.c_str());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string notes() const { return path_ + "/notes"; }

  [[nodiscard]] std::string program() const { return path_ + "/gpucoop-rank"; }

  /// The processes that have noted themselves: ranks, and what they have left.
  [[nodiscard]] std::vector<std::int32_t> noted() const {
    std::vector<std::int32_t> pids;
    std::ifstream file(notes());
    for (std::int32_t pid = 0; file >> pid;) pids.push_back(pid);
    return pids;
  }
  void wait_for(std::size_t count) const {
    for (int tries = 0; tries < 6000 && noted().size() < count; ++tries) std::this_thread::sleep_for(milliseconds(5));
    REQUIRE(noted().size() >= count);
  }
  /// True once all of them are gone, which has to be soon.
  [[nodiscard]] bool all_gone() const {
    for (int tries = 0; tries < 1500; ++tries) {
      bool left = false;
      for (const auto pid : noted()) left = left || lives(pid);
      if (!left) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }

 private:
  std::string path_;
};

inline TeamSetup fakes(unsigned ranks, const Scratch& scratch, const std::string& start = "answer") {
  TeamSetup setup;
  setup.executable = GPUCOOP_FAKE_RANK;
  setup.backend = "host";
  for (unsigned i = 0; i < ranks; ++i) setup.devices.push_back("host:" + std::to_string(i));
  setup.arguments = {"--start", start, "--note", scratch.notes()};
  setup.arena_bytes = 4096;
  setup.privilege = Privilege{};
  return setup;
}

inline wire::Step step(std::uint32_t id, const std::string& op, std::vector<unsigned> ranks) {
  wire::Step step;
  step.id = id;
  step.rung = "ccl.allreduce";
  step.op = op;
  step.ranks = std::move(ranks);
  step.groups = {{"set", step.ranks}, {"dp1", {1}}};
  return step;
}

/// A team of fakes, that has to start.
struct Fakes {
  Scratch scratch;
  StepEnd how;
  std::unique_ptr<Team> team;

  explicit Fakes(unsigned ranks) {
    auto started = Team::start(fakes(ranks, scratch), how);
    REQUIRE(started);
    team = std::move(started).value();
  }
  StepEnd run(std::uint32_t id, const std::string& op, std::vector<unsigned> ranks,
              milliseconds deadline = milliseconds(60000)) const {
    return team->run(step(id, op, std::move(ranks)), deadline, {});
  }
};

}  // namespace gpucoop::probe::testing
