#include "team_of_threads.hpp"

namespace gpucoop {
namespace {

TEST_CASE("a rank says what it has once its device is open") {
  TeamOfThreads team(2);
  CHECK(team.ready[1].id == 0);
  CHECK(team.ready[1].rank == 1);
  CHECK(team.ready[1].state == ProbeState::passed);
  CHECK(team.ready[1].library_name == "host");
  CHECK(team.ready[1].answers.front() == std::pair<std::string, std::string>("address", "host:1"));
}

TEST_CASE("one device dispatches, copies and reaches host memory") {
  TeamOfThreads team(1);
  for (const std::string rung : {"gpu.dispatch", "host.copy", "host.mapped"}) {
    CAPTURE(rung);
    const auto results = team.run(step_of(rung));
    check_all_passed(results);
    CHECK(results[0].checked_words > 0);
  }
}

TEST_CASE("copies have a rate") {
  TeamOfThreads team(1);
  auto step = step_of("host.copy_rate");
  step.sizes = {1U << 20U};
  const auto results = team.run(step);
  check_all_passed(results);
  CHECK(results[0].gbytes_per_s.value_or(0) > 0);
  CHECK(results[0].bytes == 1U << 20U);
}

TEST_CASE("a copy that an injected fault spoiled is found") {
  TeamOfThreads team(1, {"wrong-data@host.copy"});
  const auto results = team.run(step_of("host.copy"));
  CHECK(results[0].state == ProbeState::wrong_data);
  CHECK(results[0].wrong_words == 1);
  CHECK(results[0].wrong_how.find("lost 1; first at byte 0") == 0);
}

}  // namespace
}  // namespace gpucoop
