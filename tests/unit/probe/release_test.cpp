#include "probe/release.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "state_bench.hpp"

using namespace gpucoop::probe;
using namespace gpucoop::probe::testing;
using namespace std::chrono_literals;

TEST_CASE("What the driver still keeps of a process that has ended is waited for, and not for ever") {
  const StateHome home;
  std::filesystem::create_directories(home.path() + "/812");
  CHECK(wait_until_released({}, 1ms, {}, home.path()));
  CHECK(wait_until_released({811}, 1ms, {}, home.path()));
  CHECK(wait_until_released({812}, 1ms, {}, home.path() + "/none"));
  CHECK_FALSE(wait_until_released({811, 812}, 1ms, {}, home.path()));
  int ticks = 0;
  CHECK_FALSE(wait_until_released(
      {812}, 600s, [&] { return ++ticks < 2; }, home.path()));
  CHECK(ticks == 2);
  CHECK(wait_until_released(
      {812}, 600s, [&] { return std::filesystem::remove(home.path() + "/812"); }, home.path()));
}
