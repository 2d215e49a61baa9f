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

TEST_CASE("A device is one probe's until that one lets it go") {
  const StateHome home;
  const auto devices = home.path() + "/devices";
  std::filesystem::create_directories(devices + "/0000:0b:00.0");
  std::filesystem::create_directories(devices + "/0000:0c:00.0");
  {
    const auto first = DeviceLocks::take({kGpu, kGpu, simulated_device(3)}, home.place(), devices);
    REQUIRE(first);
    const auto second = DeviceLocks::take({kOther, kGpu}, home.place(), devices);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ExitCode::busy);
    CHECK(second.error().where == "0000:0b:00.0");
    CHECK(second.error().what == "another probe is using it (pid " + std::to_string(::getpid()) + ")");
    CHECK(DeviceLocks::take({kOther}, home.place(), devices));
    CHECK(DeviceLocks::take({simulated_device(3)}, home.place(), devices).error().where == "host:3");
    CHECK(DeviceLocks::take({simulated_device(4)}, home.place(), devices));
  }
  CHECK(DeviceLocks::take({kGpu, kOther, simulated_device(3)}, home.place(), devices));
  CHECK(DeviceLocks::take({Address{0, 1, 2, 3}}, home.place(), devices).error().code == ExitCode::no_such_input);
}

TEST_CASE("A lock goes with a process that is killed") {
  const StateHome home;
  const auto place = home.place();
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = DeviceLocks::take({simulated_device(0)}, place);
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(DeviceLocks::take({simulated_device(0)}, place).error().what ==
        "another probe is using it (pid " + std::to_string(child) + ")");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(DeviceLocks::take({simulated_device(0)}, place));
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
