#include "wire/board.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

using namespace gpucoop;
using namespace gpucoop::wire;
using namespace std::chrono_literals;

namespace {

std::chrono::steady_clock::time_point in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

/// Runs `job` in a process of its own that has nothing of the board but its descriptor.
pid_t other_process(int fd, const std::function<bool(Board&)>& job) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto board = Board::attach(fd);
    ::_exit(board && job(*board.value()) ? 0 : 1);
  }
  return child;
}

int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("A board is one memory for all who attach to it") {
  auto made = Board::create(3, 1U << 20U);
  REQUIRE(made);
  auto& board = *made.value();
  CHECK(board.ranks() == 3);
  CHECK(board.arena_bytes() == 1U << 20U);
  const auto child = other_process(board.fd(), [](Board& other) {
    other.progress(2).beats = 41;
    other.progress(2).round = 7;
    other.arena()[other.arena_bytes() - 1] = std::byte{0x5a};
    return other.ranks() == 3;
  });
  CHECK(end_of(child) == 0);
  CHECK(board.progress(2).beats == 41);
  CHECK(board.progress(2).round == 7);
  CHECK(board.progress(1).beats == 0);
  CHECK(board.arena()[(1U << 20U) - 1] == std::byte{0x5a});
}

TEST_CASE("An arena costs address space, and nobody can cut it") {
  auto made = Board::create(2, std::uint64_t{64} << 30U);
  REQUIRE(made);
  made.value()->arena()[std::uint64_t{63} << 30U] = std::byte{1};
  CHECK(::ftruncate(made.value()->fd(), 4096) != 0);
}

TEST_CASE("What is no board is refused") {
  CHECK(Board::create(0, 0).error().code == ExitCode::usage);
  CHECK_FALSE(Board::create(kMostRanks + 1, 0));
  CHECK_FALSE(Board::create(1, std::uint64_t{1} << 50U));
  CHECK_FALSE(Board::attach(-1));
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  CHECK(Board::attach(file).error().code == ExitCode::bad_input);
  ::close(file);
}

TEST_CASE("Processes meet again and again under the same key") {
  auto made = Board::create(4, 4096);
  REQUIRE(made);
  auto& board = *made.value();
  constexpr unsigned kRounds = 300;
  const auto job = [](Board& other) {
    auto* const counter = reinterpret_cast<std::atomic<unsigned>*>(other.arena());
    for (unsigned round = 0; round < kRounds; ++round) {
      counter->fetch_add(1);
      if (!other.meet(0, 4, in(60s))) return false;
      if (counter->load() != 4 * (round + 1)) return false;
      if (!other.meet(9, 4, in(60s))) return false;
    }
    return true;
  };
  std::vector<pid_t> children;
  for (unsigned i = 0; i < 4; ++i) children.push_back(other_process(board.fd(), job));
  for (const auto child : children) CHECK(end_of(child) == 0);
}

TEST_CASE("Who meets nobody leaves at the deadline and is not counted") {
  auto made = Board::create(2, 0);
  REQUIRE(made);
  auto& board = *made.value();
  CHECK_FALSE(board.meet(5, 2, in(30ms)));
  CHECK_FALSE(board.meet(5, 2, in(1ms)));
  CHECK_FALSE(board.meet(std::numeric_limits<std::uint64_t>::max(), 1, in(1ms)));
  bool met = false;
  std::thread other([&] { met = board.meet(5, 2, in(60s)); });
  CHECK(board.meet(5, 2, in(60s)));
  other.join();
  CHECK(met);
}

TEST_CASE("A rank that is killed while it waits holds nobody") {
  auto made = Board::create(3, 0);
  REQUIRE(made);
  auto& board = *made.value();
  const auto killed = other_process(board.fd(), [](Board& other) {
    other.progress(0).beats = 1;
    return other.meet(1, 3, in(60s));
  });
  while (board.progress(0).beats == 0) std::this_thread::sleep_for(1ms);
  ::kill(killed, SIGKILL);
  CHECK(WIFSIGNALED(end_of(killed)));
  CHECK_FALSE(board.meet(1, 3, in(30ms)));
  CHECK(board.meet(2, 1, in(60s)));
}

TEST_CASE("What is given can be taken by all, once it is there") {
  auto made = Board::create(3, 0);
  REQUIRE(made);
  auto& board = *made.value();
  std::string bytes = "before";
  CHECK_FALSE(board.take(12, bytes, in(10ms)));
  const auto taker = [](Board& other) {
    std::string got;
    return other.take(12, got, in(60s)) && got == std::string("id\0with zero", 12);
  };
  const auto first = other_process(board.fd(), taker);
  const auto second = other_process(board.fd(), taker);
  CHECK(board.give(12, std::string_view("id\0with zero", 12)));
  CHECK(end_of(first) == 0);
  CHECK(end_of(second) == 0);
  CHECK_FALSE(board.give(12, "again"));
  CHECK_FALSE(board.give(13, std::string(1025, 'x')));
  CHECK(board.give(14, ""));
  CHECK(board.take(14, bytes, in(60s)));
  CHECK(bytes.empty());
}

TEST_CASE("A full board says so") {
  auto made = Board::create(1, 0);
  REQUIRE(made);
  auto& board = *made.value();
  std::uint64_t given = 0;
  while (given < 20000 && board.give(given * 977, "x")) ++given;
  CHECK(given == 16384);
  std::string bytes;
  CHECK_FALSE(board.take(1, bytes, in(60s)));
  CHECK(board.take(977 * 16383U, bytes, in(60s)));
}
