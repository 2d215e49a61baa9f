#include "probe/run.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "probe/steps.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace gpucoop::probe::test;

namespace {

/// A host where steps end as `script` says; no process is started.
struct Stage {
  RunSetup setup;
  Surroundings around;
  FakeTeam::Script script;
  unsigned teams = 0;
  unsigned guarded = 0;
  std::vector<std::string> begun;

  explicit Stage(unsigned devices) {
    setup.wish = wish(devices);
    script = [](const wire::Step& step, const TeamSetup&) { return passing(step); };
    around.start = [this](const TeamSetup& team, StepEnd&,
                          const std::function<bool()>&) -> Result<std::unique_ptr<Team>> {
      ++teams;
      return std::unique_ptr<Team>(std::make_unique<FakeTeam>(script, team));
    };
    around.begins = [this](const Planned& planned, const std::string& variant) -> Status {
      begun.push_back(planned.rung->id + (variant.empty() ? "" : " " + variant));
      return std::nullopt;
    };
  }

  static StepEnd passing(const wire::Step& step) {
    Planned planned;
    planned.step = step;
    auto end = good_end(planned);
    for (auto& result : end.results) result.library_name = "nccl";
    if (step.rung == "p2p.access") {
      for (auto& result : end.results) result.answers = {{"p2p.access", "true"}};
    }
    return end;
  }
  static StepEnd hanging(const wire::Step& step) {
    Planned planned;
    planned.step = step;
    return hung_end(planned);
  }

  RunEnd climb() { return probe::climb(setup, builtin_rules(), around); }
};

const ProbeRun* run_of_rung(const RunEnd& end, const std::string& rung, const std::string& variant = {}) {
  for (const auto& run : end.runs) {
    if (run.rung == rung && run.variant == variant) return &run;
  }
  return nullptr;
}

const Fact* fact_of(const RunEnd& end, const std::string& id, std::size_t members) {
  for (const auto& fact : end.facts) {
    if (fact.id == id && fact.subject.of.size() == members) return &fact;
  }
  return nullptr;
}

bool says(const ProbeRun& run, const std::string& part) {
  return std::any_of(run.findings.begin(), run.findings.end(),
                     [&](const std::string& finding) { return finding.find(part) != std::string::npos; });
}

bool has_setting(const TeamSetup& team, const std::string& name) {
  return std::any_of(team.environment.begin(), team.environment.end(), [&](const auto& e) { return e.first == name; });
}

}  // namespace

TEST_CASE("where all goes well one team does everything, and the journal knows each step before") {
  Stage stage(4);
  const auto end = stage.climb();
  CHECK(stage.teams == 1);
  CHECK(exit_code_of(end.runs) == ExitCode::ok);
  CHECK(fact_of(end, "ccl.allreduce", 4)->value.is(FactValue(true)));
  CHECK(fact_of(end, "ccl.works_with", 4)->value.is_absent());
  CHECK(fact_of(end, "ccl.switching", 4)->value.is(FactValue(true)));
  CHECK(run_of_rung(end, "ccl.recovery") == nullptr);
  CHECK(std::count(stage.begun.begin(), stage.begun.end(), "gpu.dispatch") == 4);
  CHECK(stage.begun.size() <= end.runs.size());
}

TEST_CASE("a rung whose lower rung fails is skipped with the reason, never passed") {
  Stage stage(2);
  stage.script = [](const wire::Step& step, const TeamSetup&) {
    auto end = Stage::passing(step);
    if (step.rung == "p2p.access") {
      for (auto& result : end.results) result.answers = {{"p2p.access", "false"}};
    }
    return end;
  };
  const auto end = stage.climb();
  CHECK(run_of_rung(end, "p2p.write")->state == ProbeState::skipped);
  CHECK(run_of_rung(end, "p2p.write")->reason == "it needs p2p.access, which was not shown here");
  CHECK(fact_of(end, "p2p.write", 2) == nullptr);
  CHECK(run_of_rung(end, "ccl.allreduce")->state == ProbeState::passed);
}

TEST_CASE("after a failure fresh ranks show whether the GPUs can still be used") {
  Stage stage(2);
  stage.script = [](const wire::Step& step, const TeamSetup&) {
    return step.rung == "ccl.broadcast" ? Stage::hanging(step) : Stage::passing(step);
  };
  const auto end = stage.climb();
  CHECK(run_of_rung(end, "ccl.broadcast")->state == ProbeState::hung);
  CHECK(run_of_rung(end, "ccl.recovery")->state == ProbeState::passed);
  CHECK(fact_of(end, "ccl.recovery", 2)->value.is(FactValue(true)));
  CHECK(run_of_rung(end, "ccl.reduce")->state == ProbeState::passed);
  CHECK(exit_code_of(end.runs) == ExitCode::hung);
}

TEST_CASE("fresh ranks are started once the driver has let go of those before") {
  Stage stage(2);
  auto now = std::chrono::steady_clock::now();
  stage.around.clock = [&] { return now; };
  stage.script = [](const wire::Step& step, const TeamSetup&) {
    return step.rung == "ccl.broadcast" ? Stage::hanging(step) : Stage::passing(step);
  };
  unsigned waited = 0;
  bool lets_go = true;
  stage.around.released = [&](const std::vector<std::int32_t>& ended, const std::function<bool()>& tick) {
    CHECK(ended == std::vector<std::int32_t>{4242, 4243});
    CHECK(tick());
    CHECK(stage.teams == ++waited);
    now += std::chrono::milliseconds(3200);
    return lets_go;
  };
  SUBCASE("what that took is told") {
    const auto end = stage.climb();
    // The check, two second tries, and what comes after them.
    CHECK(waited == 3);
    CHECK(stage.teams == 4);
    CHECK(run_of_rung(end, "ccl.recovery")->state == ProbeState::passed);
    CHECK(says(*run_of_rung(end, "ccl.recovery"), "the driver let go of the ranks that were ended before after 3.2 s"));
    CHECK(run_of_rung(end, "ccl.reduce")->state == ProbeState::passed);
  }
  SUBCASE("where it does not, nothing more is started") {
    lets_go = false;
    const auto end = stage.climb();
    CHECK(stage.teams == 1);
    CHECK(run_of_rung(end, "ccl.recovery")->state == ProbeState::skipped);
    CHECK(fact_of(end, "ccl.recovery", 2) == nullptr);
    CHECK(says(*run_of_rung(end, "ccl.broadcast"), "the driver still keeps what ended ranks had of the GPUs"));
    CHECK(run_of_rung(end, "ccl.reduce")->state == ProbeState::skipped);
    CHECK(run_of_rung(end, "ccl.reduce")->reason.find("the driver still keeps") == 0);
  }
  SUBCASE("nor where that was interrupted") {
    stage.around.released = [&](const std::vector<std::int32_t>&, const std::function<bool()>& tick) { return tick(); };
    stage.around.tick = [&](const Now& at) { return at.planned->rung->id != "ccl.recovery" || ++waited < 2; };
    const auto end = stage.climb();
    CHECK(stage.teams == 1);
    CHECK(end.interrupted);
    CHECK(run_of_rung(end, "ccl.recovery")->reason == "interrupted");
  }
}

TEST_CASE("a journal that cannot be written any more is the reason, not the GPUs") {
  Stage stage(2);
  stage.script = [](const wire::Step& step, const TeamSetup&) {
    return step.rung == "ccl.broadcast" ? Stage::hanging(step) : Stage::passing(step);
  };
  stage.around.begins = [](const Planned& planned, const std::string&) -> Status {
    if (planned.rung->id != "ccl.recovery") return std::nullopt;
    return Error{ExitCode::cannot_create, "the disk is full", "", ""};
  };
  const auto end = stage.climb();
  REQUIRE(end.stopped);
  CHECK(run_of_rung(end, "ccl.reduce")->reason == "stopped: the disk is full");
}

TEST_CASE("where they cannot, nothing more is tried") {
  Stage stage(2);
  bool broken = false;
  stage.script = [&](const wire::Step& step, const TeamSetup&) {
    broken = broken || step.rung == "ccl.broadcast";
    return broken ? Stage::hanging(step) : Stage::passing(step);
  };
  const auto end = stage.climb();
  CHECK(fact_of(end, "ccl.recovery", 2)->value.is(FactValue(false)));
  CHECK(run_of_rung(end, "ccl.reduce")->state == ProbeState::skipped);
  CHECK(run_of_rung(end, "ccl.reduce")->reason == "fresh processes cannot use the GPUs any more");
}

TEST_CASE("the first setting that helps is named, after the control") {
  Stage stage(2);
  stage.script = [](const wire::Step& step, const TeamSetup& team) {
    return step.rung == "ccl.allreduce" && !has_setting(team, "NCCL_PROTO") ? Stage::hanging(step)
                                                                            : Stage::passing(step);
  };
  const auto end = stage.climb();
  const auto& failed = *run_of_rung(end, "ccl.allreduce");
  CHECK(failed.state == ProbeState::hung);
  CHECK(says(failed, "it works with NCCL_PROTO=Simple"));
  CHECK(run_of_rung(end, "ccl.allreduce", "NCCL_P2P_DISABLE=1 NCCL_PROTO=Simple")->state == ProbeState::passed);
  CHECK(run_of_rung(end, "ccl.allreduce", "NCCL_P2P_DISABLE=1")->state == ProbeState::hung);
  CHECK(run_of_rung(end, "ccl.allreduce", "NCCL_CUMEM_ENABLE=0") == nullptr);
  CHECK(fact_of(end, "ccl.allreduce", 2)->value.is(FactValue(false)));
  CHECK(fact_of(end, "ccl.with_setting", 2)->value.is(FactValue(true)));
  CHECK(fact_of(end, "ccl.works_with", 2)->value.is(FactValue(std::string("NCCL_PROTO=Simple"))));
}

TEST_CASE("a control that fails as well blames no setting") {
  Stage stage(2);
  stage.script = [](const wire::Step& step, const TeamSetup&) {
    return step.rung == "ccl.allreduce" ? Stage::hanging(step) : Stage::passing(step);
  };
  const auto end = stage.climb();
  CHECK(run_of_rung(end, "ccl.allreduce")->state == ProbeState::hung);
  CHECK(says(*run_of_rung(end, "ccl.allreduce"), "no setting is to blame"));
  CHECK(run_of_rung(end, "ccl.allreduce", "NCCL_P2P_DISABLE=1 NCCL_PROTO=Simple")->state == ProbeState::inconclusive);
  CHECK(run_of_rung(end, "ccl.allreduce", "NCCL_P2P_DISABLE=1") == nullptr);
  CHECK(fact_of(end, "ccl.works_with", 2) == nullptr);
  CHECK(fact_of(end, "ccl.with_setting", 2) == nullptr);
}

TEST_CASE("where the whole set fails each pair is tried") {
  Stage stage(3);
  stage.script = [](const wire::Step& step, const TeamSetup&) {
    const bool with_two = std::find(step.ranks.begin(), step.ranks.end(), 2U) != step.ranks.end();
    return step.rung == "ccl.allreduce" && with_two ? Stage::hanging(step) : Stage::passing(step);
  };
  const auto end = stage.climb();
  CHECK(says(*run_of_rung(end, "ccl.allreduce"),
             "by pairs, it works between host:0 and host:1; it fails between host:0 and host:2, host:1 and host:2"));
  CHECK(fact_of(end, "ccl.allreduce", 2)->value.is(FactValue(true)));
  CHECK(fact_of(end, "ccl.allreduce", 3)->value.is(FactValue(false)));
}

TEST_CASE("crossed groups that pass only where all meet are told apart") {
  Stage stage(4);
  stage.script = [](const wire::Step& step, const TeamSetup&) {
    return step.rung == "ccl.switching" && step.sync != wire::Sync::rendezvous ? Stage::hanging(step)
                                                                               : Stage::passing(step);
  };
  const auto end = stage.climb();
  const auto& failed = *run_of_rung(end, "ccl.switching");
  CHECK(failed.state == ProbeState::hung);
  CHECK(failed.reason.find("rank 0 waits in set") != std::string::npos);
  CHECK(says(failed, "crossed communicators disturb each other: each works alone"));
  CHECK(fact_of(end, "ccl.switching", 4)->value.is(FactValue(false)));
  CHECK(fact_of(end, "ccl.subgroups", 4)->value.is(FactValue(true)));
  CHECK(std::any_of(end.runs.begin(), end.runs.end(), [](const ProbeRun& run) {
    return run.op == "alternate, rendezvous" && run.state == ProbeState::passed;
  }));
}

TEST_CASE("no step begins after the budget, and none of those left counts as passed") {
  Stage stage(2);
  auto now = std::chrono::steady_clock::now();
  stage.around.clock = [&] { return now; };
  stage.around.begins = [&](const Planned&, const std::string&) -> Status {
    now += std::chrono::seconds(25);
    return std::nullopt;
  };
  const auto end = stage.climb();
  CHECK(std::count_if(end.runs.begin(), end.runs.end(),
                      [](const ProbeRun& run) { return run.state == ProbeState::passed; }) == 3);
  CHECK(run_of_rung(end, "ccl.init")->reason == "budget: no time was left (--budget)");
}

TEST_CASE("the guard is asked before each rung and stops everything") {
  Stage stage(2);
  stage.around.guard = [&]() -> Status {
    if (++stage.guarded < 3) return std::nullopt;
    return Error{ExitCode::busy, "host:1 is in use", "", ""};
  };
  const auto end = stage.climb();
  CHECK(stage.guarded == 3);
  REQUIRE(end.stopped);
  CHECK(end.stopped->code == ExitCode::busy);
  CHECK(run_of_rung(end, "ccl.init")->state == ProbeState::skipped);
  CHECK(run_of_rung(end, "gpu.dispatch")->state == ProbeState::passed);
}

TEST_CASE("ranks that do not start are told once") {
  Stage stage(2);
  stage.around.start = [&](const TeamSetup&, StepEnd&, const std::function<bool()>&) -> Result<std::unique_ptr<Team>> {
    ++stage.teams;
    return Error{ExitCode::no, "no such device", "", ""};
  };
  const auto end = stage.climb();
  CHECK(stage.teams <= 2);
  CHECK(run_of_rung(end, "gpu.dispatch")->state == ProbeState::failed);
  CHECK(run_of_rung(end, "gpu.dispatch")->reason == "the ranks did not start: no such device");
  CHECK(run_of_rung(end, "ccl.init")->state == ProbeState::skipped);
}

TEST_CASE("an interrupted probe keeps what it has") {
  Stage stage(2);
  unsigned looks = 0;
  stage.around.tick = [&](const Now&) { return ++looks < 4; };
  const auto end = stage.climb();
  CHECK(end.interrupted);
  CHECK(run_of_rung(end, "gpu.dispatch")->state == ProbeState::passed);
  CHECK(run_of_rung(end, "ccl.init")->reason == "interrupted");
}

TEST_CASE("a soak that was asked for is run after the budget, and what it showed is told") {
  Stage stage(2);
  stage.setup.wish.areas = {Area::collective};
  stage.setup.wish.soak = std::chrono::seconds(60);
  auto now = std::chrono::steady_clock::now();
  stage.around.clock = [&] { return now; };
  stage.script = [&](const wire::Step& step, const TeamSetup&) {
    auto end = Stage::passing(step);
    if (step.rung == "ccl.broadcast") now += std::chrono::seconds(61);
    if (step.rung == "ccl.soak") end.seconds = 60.2;
    return end;
  };
  const auto end = stage.climb();
  CHECK(run_of_rung(end, "ccl.reduce")->reason == "budget: no time was left (--budget)");
  CHECK(run_of_rung(end, "ccl.soak")->state == ProbeState::passed);
  CHECK(says(*run_of_rung(end, "ccl.soak"), "for 60 s every value was right"));
}

TEST_CASE("the all-reduce of simulated devices is held against a plain copy in the same memory") {
  Stage stage(2);
  stage.script = [&](const wire::Step& step, const TeamSetup&) {
    auto end = Stage::passing(step);
    if (step.rung == "host.copy_rate") end.results[0].gbytes_per_s = step.ranks[0] == 0 ? 6.0 : 5.12;
    if (step.rung == "ccl.latency") end.results[0].bus_gbytes_per_s = 1.5;
    return end;
  };
  const auto end = stage.climb();
  CHECK(run_of_rung(end, "ccl.latency")->bus_gbytes_per_s.value() == 1.5);
  CHECK(says(*run_of_rung(end, "ccl.latency"), "a plain memcpy by one process: 5.12 GB/s"));
}

TEST_CASE("the whole ladder times the all-reduce under each variant as well, with fresh ranks") {
  Stage stage(2);
  stage.setup.wish = wish(2, "cuda");
  stage.setup.wish.wide = true;
  std::vector<std::vector<std::uint64_t>> sizes;
  stage.script = [&](const wire::Step& step, const TeamSetup& team) {
    auto end = Stage::passing(step);
    if (step.rung == "ccl.latency" && !team.environment.empty()) {
      sizes.push_back(step.sizes);
      for (auto& result : end.results) {
        result.transport = team.environment.back().first;
        result.latency_us = 12.0;
        result.bus_gbytes_per_s = 20.0;
      }
    }
    return end;
  };
  const auto end = stage.climb();
  const auto* net = run_of_rung(end, "ccl.latency", "NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1");
  REQUIRE(net != nullptr);
  CHECK(net->state == ProbeState::passed);
  CHECK(net->transport == "NCCL_SHM_DISABLE");
  CHECK(net->latency_us.value() == 12.0);
  CHECK(net->bus_gbytes_per_s.value() == 20.0);
  for (const char* variant : {"NCCL_P2P_DISABLE=1", "NCCL_PROTO=Simple", "NCCL_CUMEM_ENABLE=0", "NCCL_NVLS_ENABLE=0",
                              "NCCL_SHM_DISABLE=1", "NCCL_P2P_LEVEL=SYS"}) {
    CAPTURE(variant);
    CHECK(run_of_rung(end, "ccl.latency", variant) != nullptr);
  }
  // The control is of use where something fails.
  CHECK(run_of_rung(end, "ccl.latency", "NCCL_P2P_DISABLE=1 NCCL_PROTO=Simple") == nullptr);
  CHECK(stage.teams == 1 + sizes.size());
  for (const auto& of : sizes) CHECK(*std::max_element(of.begin(), of.end()) == std::uint64_t{32} << 20U);
}

TEST_CASE("variants are not timed by a usual probe, nor where the all-reduce was not timed") {
  Stage usual(2);
  usual.setup.wish = wish(2, "cuda");
  CHECK(run_of_rung(usual.climb(), "ccl.latency", "NCCL_PROTO=Simple") == nullptr);
  Stage failing(2);
  failing.setup.wish = wish(2, "cuda");
  failing.setup.wish.wide = true;
  failing.script = [](const wire::Step& step, const TeamSetup&) {
    auto end = Stage::passing(step);
    if (step.rung != "ccl.latency") return end;
    for (auto& result : end.results) result.state = ProbeState::failed;
    return end;
  };
  CHECK(run_of_rung(failing.climb(), "ccl.latency", "NCCL_SHM_DISABLE=1") == nullptr);
}

TEST_CASE("what each size took is told with the rates") {
  Stage stage(2);
  stage.script = [](const wire::Step& step, const TeamSetup&) {
    auto end = Stage::passing(step);
    if (step.rung != "ccl.latency") return end;
    for (auto& result : end.results) {
      result.answers = {{"all_reduce of 8 bytes", "6.25 us"},
                        {"all_reduce of 8 bytes, replayed from a graph", "5.71 us"},
                        {"all_reduce of 1048576 bytes", "13.65 us"}};
    }
    return end;
  };
  const auto end = stage.climb();
  const auto* run = run_of_rung(end, "ccl.latency");
  REQUIRE(run != nullptr);
  REQUIRE_FALSE(run->findings.empty());
  CHECK(run->findings.front() == "all_reduce: 8 B 6.25 us, replayed from a graph 5.71 us; 1 MiB 13.65 us");
}
