#include "probe/lock.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include "state_bench.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace gpucoop::probe::testing;

namespace {

const Address kGpu{0, 0x0b, 0, 0};
const Address kOther{0, 0x0c, 0, 0};

}  // namespace

/// A folder with devices.
struct Devices {
  StateHome home;
  Devices() {
    std::filesystem::create_directories(path() + "/0000:0b:00.0");
    std::filesystem::create_directories(path() + "/0000:0c:00.0");
  }
  [[nodiscard]] std::string path() const { return home.path() + "/devices"; }
};

TEST_CASE("A device is one probe's until that one lets it go") {
  const Devices devices;
  {
    const auto first = DeviceLocks::take({kGpu, kGpu}, devices.path());
    REQUIRE(first);
    const auto second = DeviceLocks::take({kOther, kGpu}, devices.path());
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ExitCode::busy);
    CHECK(second.error().where == "0000:0b:00.0");
    CHECK(second.error().what == "another probe is using it (pid " + std::to_string(::getpid()) + ")");
    CHECK(DeviceLocks::take({kOther}, devices.path()));
  }
  CHECK(DeviceLocks::take({kGpu, kOther}, devices.path()));
  CHECK(DeviceLocks::take({Address{0, 1, 2, 3}}, devices.path()).error().code == ExitCode::no_such_input);
}

TEST_CASE("Simulated devices are no other probe's business") {
  const Devices devices;
  const auto first = DeviceLocks::take({simulated_device(0), simulated_device(1)}, devices.path());
  REQUIRE(first);
  CHECK(DeviceLocks::take({simulated_device(0)}, devices.path()));
}

TEST_CASE("A lock goes with a process that is killed") {
  const Devices devices;
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = DeviceLocks::take({kGpu}, devices.path());
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(DeviceLocks::take({kGpu}, devices.path()).error().what ==
        "another probe is using it (pid " + std::to_string(child) + ")");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(DeviceLocks::take({kGpu}, devices.path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("The owner of a lock is read from the kernel's list") {
  const std::string locks =
      "1: POSIX  ADVISORY  WRITE 11 00:1a:77 0 EOF\n"
      "2: FLOCK  ADVISORY  READ 12 fe:00:77 0 EOF\n"
      "2: -> FLOCK  ADVISORY  WRITE 13 00:1a:77 0 EOF\n"
      "nonsense\n3: FLOCK ADVISORY WRITE x\n"
      "4: FLOCK  ADVISORY  WRITE 14 00:1a:77 0 EOF\n";
  CHECK(lock_owner(locks, 0, 0x1a, 77) == 14);
  CHECK(lock_owner(locks, 0xfe, 0, 77) == 12);
  CHECK(lock_owner(locks, 0, 0x1a, 78) == 0);
  CHECK(lock_owner("", 0, 0, 0) == 0);
}
