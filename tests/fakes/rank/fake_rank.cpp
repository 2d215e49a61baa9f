// A rank that does what it is told, for the tests of what protects a host from ranks: started as a real one, and
// speaking with the supervisor as one.
//
// How it behaves is the `op` of a step, `WHAT@RANK` where only one rank is meant (all others answer, or
// do ELSE with `WHAT@RANK/ELSE`); at the start it
// is the argument `--start WHAT@RANK`. `--note FILE`: process numbers of what must not be left behind are appended.

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "wire/board.hpp"
#include "wire/frame.hpp"
#include "wire/start.hpp"
#include "wire/step.hpp"

namespace {

using namespace gpucoop;
using Doing = wire::Progress::Doing;

struct Rank {
  unsigned number = 0;
  std::map<std::string, std::string> options;
  std::unique_ptr<wire::Board> board;
  wire::FrameReader reader;
  std::string inherited;  ///< descriptors
};

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

void note(const Rank& rank, pid_t pid) {
  const auto file = rank.options.find("--note");
  if (file == rank.options.end()) return;
  const int fd = ::open(file->second.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const auto line = std::to_string(pid) + "\n";
  [[maybe_unused]] const auto put = ::write(fd, line.data(), line.size());
  ::close(fd);
}

void say(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto put = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (put <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
}

void answer(const Rank& rank, std::uint32_t step, ProbeState state = ProbeState::passed, const std::string& why = "") {
  wire::StepResult result;
  result.id = step;
  result.rank = rank.number;
  result.state = state;
  result.reason = why;
  result.checked_words = 7;
  if (!wire::send_frame(wire::kChannelFd, wire::encode(result))) std::exit(1);
}

void at(Rank& rank, std::uint32_t step, Doing doing, std::uint32_t group, std::uint32_t round) {
  auto& progress = rank.board->progress(rank.number);
  progress.step = step;
  progress.group = group;
  progress.round = round;
  progress.doing = static_cast<std::uint32_t>(doing);
  ++progress.beats;
}

/// A child whose parent has gone: it belongs to whoever takes in orphans. In a session of its own, so that no signal
/// to a group reaches it.
void leave_orphan(const Rank& rank) {
  if (::fork() == 0) {
    if (::fork() == 0) {
      ::setsid();
      std::signal(SIGTERM, SIG_IGN);
      note(rank, ::getpid());
      sleep_for_ever();
    }
    ::_exit(0);
  }
}

void garbage(const std::string& bytes) {
  [[maybe_unused]] const auto put = ::write(wire::kChannelFd, bytes.data(), bytes.size());
}

/// False: `what` is none of the ways to fail.
bool misbehave(Rank& rank, std::uint32_t step, const std::string& what) {
  if (what == "hang") {
    at(rank, step, Doing::waiting, 0, 3);
    sleep_for_ever();
  }
  if (what == "ignore-term") {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
    say("I stay\n");
    at(rank, step, Doing::waiting, 1, 17);
    sleep_for_ever();
  }
  if (what == "spin") {
    at(rank, step, Doing::working, 0, 0);
    for (std::atomic<std::uint64_t> turns = 0;;) ++turns;
  }
  if (what == "stop") {
    at(rank, step, Doing::working, 0, 5);
    ::kill(::getpid(), SIGSTOP);
    sleep_for_ever();
  }
  if (what == "frozen") {
    // A write to a frozen file system waits in the kernel, and no signal ends that.
    at(rank, step, Doing::working, 0, 2);
    const char* const file = std::getenv("FAKE_FROZEN");
    const int fd = ::open(file == nullptr ? "" : file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    [[maybe_unused]] const auto put = ::write(fd, "x", 1);
  }
  if (what == "double-fork") {
    leave_orphan(rank);
    sleep_for_ever();
  }
  if (what == "orphan-and-answer") leave_orphan(rank);
  if (what == "spam") {
    const std::string line(1023, 's');
    for (int i = 0; i < 64 * 1024; ++i) say(line + "\n");
    say("the end of it\n");
  }
  if (what == "spam-for-ever") {
    for (;;) say(std::string(65536, 'f'));
  }
  if (what == "garbage") garbage("Hello, I am a log line\n");
  if (what == "garbage-frame") garbage(wire::framed("no result at all"));
  if (what == "half-frame") {
    garbage(std::string("\100\0\0\0half", 8));
    std::_Exit(0);
  }
  if (what == "other-step") answer(rank, step + 1);
  if (what == "twice") answer(rank, step);
  if (what == "exit") {
    say("I have had enough\n");
    std::_Exit(42);
  }
  if (what == "close") {
    ::close(wire::kChannelFd);
    sleep_for_ever();
  }
  if (what == "segfault") {
    std::signal(SIGSEGV, SIG_DFL);
    ::raise(SIGSEGV);
  }
  if (what == "refuse") {
    answer(rank, step, ProbeState::refused, "no such device (100)");
    return true;
  }
  return false;
}

std::string mine(const Rank& rank, const std::string& what) {
  const auto sign = what.find('@');
  if (sign == std::string::npos) return what;
  const auto slash = std::min(what.find('/', sign), what.size());
  if (what.substr(sign + 1, slash - sign - 1) == std::to_string(rank.number)) return what.substr(0, sign);
  return slash == what.size() ? "answer" : what.substr(slash + 1);
}

std::string open_descriptors() {
  std::string text;
  for (int fd = 0; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) text += std::to_string(fd) + " ";
  }
  return text;
}

/// What a test can ask about how the rank was started.
std::string report(const Rank& rank) {
  auto text = rank.inherited + "uid " + std::to_string(::getuid()) + " group " +
              std::to_string(::getpgrp() == ::getpid() ? 1 : 0);
  for (const char* const name : {"LD_PRELOAD", "FAKE_SET", "FAKE_UNSET", "HOME"}) {
    const char* const value = std::getenv(name);
    text += std::string(" ") + name + "=" + (value == nullptr ? "" : value);
  }
  return text;
}

void do_step(Rank& rank, const wire::Step& step) {
  at(rank, step.id, Doing::working, 0, 0);
  const auto what = mine(rank, step.op);
  if (what == "report") {
    answer(rank, step.id, ProbeState::passed, report(rank));
  } else if (what == "works") {
    // Gets on by itself, for longer than anybody would be waited for who does not.
    for (std::uint32_t round = 0; round < 25; ++round) {
      at(rank, step.id, Doing::working, 0, round);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    answer(rank, step.id);
  } else if (what == "late") {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    answer(rank, step.id);
  } else if (!misbehave(rank, step.id, what)) {
    answer(rank, step.id);
  }
  at(rank, step.id, Doing::done, 0, 0);
}

}  // namespace

int main(int count, char** words) {
  Rank rank;
  rank.inherited = open_descriptors();
  for (int i = 1; i + 1 < count; i += 2) rank.options[words[i]] = words[i + 1];
  rank.number = static_cast<unsigned>(std::atoi(rank.options["--rank"].c_str()));
  note(rank, ::getpid());
  auto board = wire::Board::attach(wire::kBoardFd);
  if (!board) return 3;
  rank.board = std::move(board).value();
  if (!misbehave(rank, 0, mine(rank, rank.options["--start"]))) answer(rank, 0);
  std::string payload;
  while (wire::receive_frame(wire::kChannelFd, rank.reader, payload)) {
    const auto step = wire::decode_step(payload);
    if (!step) return 4;
    do_step(rank, step.value());
  }
  return 0;
}
