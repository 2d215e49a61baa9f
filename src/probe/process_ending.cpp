#include "probe/process_ending.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "probe/process_state.hpp"

namespace gpucoop::probe {
namespace {

/// `target` as for kill: a process, or the negative number of a group.
void send(std::int32_t target, int signal) {
  ::kill(target, signal);
  if (signal == SIGTERM) ::kill(target, SIGCONT);
}

}  // namespace

void signal_all(const std::vector<std::int32_t>& groups, int signal) {
  for (const auto group : groups) send(-group, signal);
  for (const auto pid : descendants(all_processes(), ::getpid())) send(pid, signal);
}

void kill_process(std::int32_t pid) { ::kill(pid, SIGKILL); }

bool end_child(std::int32_t pid) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kMost(200);
  constexpr std::chrono::milliseconds kNap(1);
  ::kill(pid, SIGKILL);
  for (const auto until = Clock::now() + kMost; Clock::now() < until; std::this_thread::sleep_for(kNap)) {
    const auto ended = ::waitpid(pid, nullptr, WNOHANG);
    // ECHILD: whoever started this process has it ignore its children's ends.
    if (ended == pid || (ended < 0 && errno == ECHILD)) return true;
  }
  return false;
}

void leave(int code) { ::_exit(code); }

}  // namespace gpucoop::probe
