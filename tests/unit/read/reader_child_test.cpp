#include "read/live/reader_child.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/packed.hpp"
#include "read/live/folder.hpp"

using namespace gpucoop;
using End = ChildReading::End;
using std::chrono::milliseconds;

namespace {

ChildLimits soon() {
  ChildLimits limits;
  limits.deadline = milliseconds(1500);
  return limits;
}

/// No child of this process is left, not even one that nobody waited for.
bool no_child_left() { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

}  // namespace

TEST_CASE("reader child: all that it sends is taken, in order") {
  const std::string large(300'000, 'x');
  const auto reading = read_in_child([&](ChildOutput& out) {
    out.reading("first");
    out.send("one");
    out.send("");
    out.reading("second");
    out.send(large);
  });
  CHECK(reading.end == End::finished);
  REQUIRE(reading.messages.size() == 3);
  CHECK(reading.messages[0] == "one");
  CHECK(reading.messages[1].empty());
  CHECK(reading.messages[2] == large);
  CHECK(reading.last == "second");
  CHECK(reading.stuck == 0);
  CHECK(no_child_left());
}

TEST_CASE("reader child: one that blocks is ended at the deadline, and what it sent before is kept") {
  std::string folder = "/tmp/gpucoop-child-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const auto fifo = folder + "/fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const auto begin = std::chrono::steady_clock::now();
  const auto reading = read_in_child(
      [&](ChildOutput& out) {
        out.send("before");
        out.reading("/sys/a/file");
        static_cast<void>(::open(fifo.c_str(), O_RDONLY));
        out.send("after");
      },
      soon());
  const auto took = std::chrono::steady_clock::now() - begin;
  ::unlink(fifo.c_str());
  ::rmdir(folder.c_str());
  CHECK(reading.end == End::timeout);
  REQUIRE(reading.messages.size() == 1);
  CHECK(reading.messages[0] == "before");
  CHECK(reading.last == "/sys/a/file");
  CHECK(reading.stuck == 0);
  CHECK(took >= milliseconds(1500));
  CHECK(no_child_left());
}

TEST_CASE("reader child: signals that it ignores or blocks do not keep it alive") {
  const auto reading = read_in_child(
      [](ChildOutput& out) {
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, nullptr);
        out.send("deaf");
        for (;;) ::pause();
      },
      soon());
  CHECK(reading.end == End::timeout);
  CHECK(reading.messages.size() == 1);
  CHECK(no_child_left());
}

TEST_CASE("reader child: more than the bound ends it") {
  ChildLimits limits;
  limits.bytes = 100'000;
  const auto reading = read_in_child(
      [](ChildOutput& out) {
        for (;;) out.send(std::string(1000, 'y'));
      },
      limits);
  CHECK(reading.end == End::too_much);
  CHECK(reading.messages.size() <= 100);
  CHECK(no_child_left());
}

TEST_CASE("reader child: one that dies or throws is told from one that finished") {
  auto reading = read_in_child([](ChildOutput& out) {
    out.send("before");
    ::raise(SIGKILL);
  });
  CHECK(reading.end == End::failed);
  CHECK(reading.messages.size() == 1);
  reading = read_in_child([](ChildOutput& out) {
    out.send("before");
    throw std::runtime_error("no");
  });
  CHECK(reading.end == End::failed);
  CHECK(reading.messages.size() == 1);
  CHECK(no_child_left());
}

TEST_CASE("reader child: it keeps nothing of its parent open and runs no exit handler") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  static int handler_pipe = -1;
  handler_pipe = ends[1];
  static const int registered = std::atexit([] {
    if (handler_pipe >= 0) static_cast<void>(::write(handler_pipe, "!", 1));
  });
  REQUIRE(registered == 0);
  const auto reading = read_in_child([&](ChildOutput& out) {
    int open = 0;
    for (int fd = 3; fd < 1024; ++fd) open += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    out.send(std::to_string(open));
    struct stat output {};
    struct stat null {};
    const bool both = ::fstat(1, &output) == 0 && ::stat("/dev/null", &null) == 0;
    out.send(both && output.st_rdev == null.st_rdev ? "null" : "something");
  });
  handler_pipe = -1;
  ::close(ends[1]);
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 0);
  ::close(ends[0]);
  CHECK(reading.end == End::finished);
  REQUIRE(reading.messages.size() == 2);
  // Its own pipe alone.
  CHECK(reading.messages[0] == "1");
  CHECK(reading.messages[1] == "null");
}

TEST_CASE("reader child: a parent that has its children reaped for it gets everything") {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  const auto reading = read_in_child([](ChildOutput& out) { out.send("one"); });
  ::signal(SIGCHLD, before);
  CHECK(reading.end == End::finished);
  CHECK(reading.messages.size() == 1);
  CHECK(reading.stuck == 0);
}

TEST_CASE("reader child: values come back as they were packed, and cut bytes give empty ones") {
  packed::Packer packer;
  packer(std::uint64_t{1} << 63, std::string("a\0b", 3), 2.5, Address{0x10000, 0xe1, 0x1f, 7}, Known<std::uint64_t>(7),
         Known<double>::absent(), Known<std::string>::unknown(Reason::timeout), true,
         std::vector<std::uint32_t>{1, 300});
  const auto bytes = packer.take();
  const auto check = [](std::string_view from, bool whole) {
    std::uint64_t number = 0;
    std::string text;
    double real = 0;
    Address address;
    Known<std::uint64_t> known;
    Known<double> absent;
    Known<std::string> unknown;
    bool flag = false;
    std::vector<std::uint32_t> list;
    packed::Unpacker unpacker(from);
    unpacker(number, text, real, address, known, absent, unknown, flag, list);
    if (!whole) return;
    CHECK(number == std::uint64_t{1} << 63);
    CHECK(text == std::string("a\0b", 3));
    CHECK(real == 2.5);
    CHECK(to_string(address) == "10000:e1:1f.7");
    CHECK(known.is(7));
    CHECK(absent.is_absent());
    CHECK(unknown == Known<std::string>::unknown(Reason::timeout));
    CHECK(flag);
    CHECK(list == std::vector<std::uint32_t>{1, 300});
  };
  check(bytes, true);
  for (std::size_t length = 0; length < bytes.size(); ++length) check(std::string_view(bytes).substr(0, length), false);
}

TEST_CASE("a child that is started goes on while its parent does something else, and nothing of it is lost") {
  ChildLimits limits;
  limits.deadline = std::chrono::milliseconds(0);
  ReaderChild child(
      [](ChildOutput& output) {
        output.reading("a file");
        output.send("early");
      },
      limits);
  // It has ended, and the deadline is past: what it sent counts all the same.
  siginfo_t info{};
  REQUIRE(::waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0);
  const auto reading = child.take();
  CHECK(reading.end == ChildReading::End::finished);
  CHECK(reading.messages == std::vector<std::string>{"early"});
  CHECK(child.take().end == ChildReading::End::failed);
}

TEST_CASE("a child that nobody takes is ended with its object") {
  {
    const ReaderChild child([](ChildOutput&) { ::pause(); });
  }
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}
