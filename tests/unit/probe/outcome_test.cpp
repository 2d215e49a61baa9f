#include "probe/outcome.hpp"

#include <doctest/doctest.h>

#include <csignal>

#include "probe/findings.hpp"
#include "probe/steps.hpp"

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace gpucoop::probe::test;

namespace {

const Context kHost{"host", "", true};

ProbeRun run_with(const Planned& planned, const StepEnd& end) { return run_of(planned, end, kHost); }

const Fact* fact_named(const std::vector<Fact>& facts, const std::string& id) {
  for (const auto& fact : facts) {
    if (fact.id == id) return &fact;
  }
  return nullptr;
}

Trace trace(const Planned& planned, const StepEnd& end) { return {planned, run_with(planned, end), end.results}; }

}  // namespace

TEST_CASE("a step that all ranks pass has passed, with the slowest rank's numbers") {
  const auto planned = step_of("ccl.allreduce");
  auto end = good_end(planned);
  end.seconds = 1.5;
  end.results[0].latency_us = 10;
  end.results[1].latency_us = 12;
  end.results[0].bus_gbytes_per_s = 5;
  end.results[1].bus_gbytes_per_s = 4;
  end.results[0].transport = "P2P/IPC";
  end.results[1].transport = "SHM/direct";
  const auto run = run_with(planned, end);
  CHECK(run.state == ProbeState::passed);
  CHECK(run.reason.empty());
  CHECK(run.latency_us.is(12));
  CHECK(run.bus_gbytes_per_s.is(4));
  CHECK(run.transport == "SHM/direct");
  CHECK(run.wrong_words.is(0));
  CHECK(run.seconds.is(1.5));
  CHECK(run.deadline_s.is(30));
  CHECK(run.gpus == std::vector<std::string>{"host:0", "host:1"});
  CHECK(run.simulated);
}

TEST_CASE("wrong data tell how many words, how, and on how many ranks") {
  const auto planned = step_of("ccl.allreduce");
  auto end = good_end(planned);
  end.results[1] = answer(planned, 1, ProbeState::wrong_data, "all_reduce of 4 bytes: 3 of 100 words are wrong");
  end.results[1].checked_words = 100;
  end.results[1].wrong_words = 3;
  end.results[1].wrong_how = "lost 3";
  end.results[1].bytes = 4;
  const auto run = run_with(planned, end);
  CHECK(run.state == ProbeState::wrong_data);
  CHECK(run.reason == "rank 1 (host:1): 3 of 100 words wrong (lost 3)");
  CHECK(run.wrong_words.is(3));
  CHECK(run.bytes.is(4));
}

TEST_CASE("a time-out is a hang, with where each rank stands") {
  const auto planned = step_of("ccl.allreduce");
  const auto run = run_with(planned, hung_end(planned));
  CHECK(run.state == ProbeState::hung);
  CHECK(run.reason == "no answer within 30 s: all wait: rank 0 waits in set (ranks 0, 1) at round 3");
  REQUIRE(run.findings.size() == 1);
  CHECK(run.findings[0].find("all wait for each other") == 0);
}

TEST_CASE("a rank with wrong data that stops is the cause, and the others that wait for it are not") {
  const auto planned = step_of("ccl.allreduce");
  auto end = hung_end(planned);
  end.results.push_back(answer(planned, 1, ProbeState::wrong_data));
  end.results[0].checked_words = 100;
  end.results[0].wrong_words = 7;
  const auto run = run_with(planned, end);
  CHECK(run.state == ProbeState::wrong_data);
  CHECK(run.reason == "rank 1 (host:1): 7 of 100 words wrong");
  CHECK(run.findings == std::vector<std::string>{"the other ranks then waited for it until the deadline"});
  end.results[0] = answer(planned, 1, ProbeState::refused, "ncclCommInitRank: no");
  CHECK(run_with(planned, end).state == ProbeState::refused);
}

TEST_CASE("who was ended because of another rank is told beside what that one did") {
  const auto planned = step_of("ccl.allreduce");
  StepEnd end;
  end.cut_short = true;
  end.others = "rank 1 waits in set (ranks 0, 1) at round 3";
  const auto told = "the rest could not end without it and was ended: " + end.others;
  SUBCASE("it refused") {
    end.results = {answer(planned, 0, ProbeState::refused, "no peer access")};
    const auto run = run_of(planned, end, {"host", {}, true});
    CHECK(run.state == ProbeState::refused);
    CHECK(run.reason == "rank 0 (host:0): no peer access");
    CHECK(run.findings == std::vector<std::string>{told});
  }
  SUBCASE("it crashed") {
    RankEnd crashed;
    crashed.how = RankEnd::How::signalled;
    crashed.code = SIGSEGV;
    end.ranks = {crashed};
    const auto run = run_of(planned, end, {"host", {}, true});
    CHECK(run.state == ProbeState::crashed);
    CHECK(run.reason == "rank 0 (host:0) crashed (SIGSEGV)");
    CHECK(run.findings == std::vector<std::string>{told});
  }
}

TEST_CASE("a step that stood still tells for how long") {
  auto planned = step_of("ccl.allreduce");
  planned.standstill = std::chrono::seconds(30);
  auto end = hung_end(planned);
  end.stood_still = true;
  CHECK(run_with(planned, end).state == ProbeState::hung);
  CHECK(run_with(planned, end).reason.find("no rank got on for 30 s: all wait: rank 0 waits") == 0);
}

TEST_CASE("what was getting on when its time was over is no hang, and says nothing about the GPUs") {
  const auto planned = step_of("ccl.allreduce");
  const auto end = hung_end(planned, Hang::slow);
  std::vector<Trace> traces{trace(planned, end)};
  CHECK(traces[0].run.state == ProbeState::inconclusive);
  CHECK(traces[0].run.findings.at(0).find("slow, not stuck") == 0);
  CHECK(facts_of(traces, builtin_rules()).empty());
  CHECK(static_cast<int>(exit_code_of({traces[0].run})) == 3);
}

TEST_CASE("a crash says more than the time-out that it brings upon the others") {
  const auto planned = step_of("ccl.allreduce");
  auto end = hung_end(planned);
  end.ranks[1].how = RankEnd::How::signalled;
  end.ranks[1].code = SIGSEGV;
  const auto run = run_with(planned, end);
  CHECK(run.state == ProbeState::crashed);
  CHECK(run.reason == "rank 1 (host:1) crashed (SIGSEGV)");
  end.ranks[1].how = RankEnd::How::exited;
  end.ranks[1].code = 3;
  CHECK(run_with(planned, end).reason == "rank 1 (host:1) ended by itself with status 3 before it answered");
}

TEST_CASE("garbage is no answer, and silence is none") {
  const auto planned = step_of("gpu.dispatch");
  StepEnd end;
  end.garbage = true;
  CHECK(run_with(planned, end).state == ProbeState::failed);
  CHECK(run_with(planned, end).reason == "something else than an answer came back: from rank 0 (host:0)");
  RankEnd left;
  left.how = RankEnd::How::exited;
  left.garbage = true;
  end.ranks.push_back(left);
  CHECK(run_with(planned, end).state == ProbeState::failed);
  CHECK(run_with(planned, StepEnd()).reason == "no answer from rank 0 (host:0)");
}

TEST_CASE("a process that takes no signal is reported, not killed") {
  const auto planned = step_of("gpu.dispatch");
  auto end = hung_end(planned, Hang::blocked);
  end.ranks[0].how = RankEnd::How::unkillable;
  end.ranks[0].pid = 812;
  const auto run = run_with(planned, end);
  REQUIRE(run.findings.size() == 2);
  CHECK(run.findings[0].find("blocked in the kernel") == 0);
  CHECK(run.findings[1].find("reported, not killed: process 812 sleeps") == 0);
}

TEST_CASE("only what passed makes a fact true; what failed makes it false; the rest leaves it unknown") {
  const auto planned = step_of("gpu.dispatch");
  const auto made = [&](const StepEnd& end) {
    std::vector<Trace> traces{trace(planned, end)};
    const auto facts = facts_of(traces, builtin_rules());
    const auto* fact = fact_named(facts, "gpu.dispatch");
    if (fact == nullptr) return std::string("unknown");
    CHECK(traces[0].run.facts == std::vector<std::string>{"gpu.dispatch@host:0"});
    CHECK(fact->tier == Tier::probed);
    CHECK_FALSE(fact->evidence.empty());
    return std::string(fact->value.is(FactValue(true)) ? "true" : "false");
  };
  const auto with = [&](ProbeState state) {
    auto end = good_end(planned);
    end.results[0] = answer(planned, 0, state, "so it is");
    return made(end);
  };
  CHECK(made(good_end(planned)) == "true");
  CHECK(made(hung_end(planned)) == "false");
  CHECK(with(ProbeState::failed) == "false");
  CHECK(with(ProbeState::wrong_data) == "false");
  CHECK(with(ProbeState::refused) == "unknown");
  CHECK(with(ProbeState::skipped) == "unknown");
  CHECK(with(ProbeState::inconclusive) == "unknown");
  CHECK(with(ProbeState::invalid) == "unknown");
}

TEST_CASE("a fact rests on all its steps, and a skipped one is no pass") {
  auto first = step_of("p2p.write");
  auto second = first;
  second.step.op = "kernel";
  const auto made = [&](std::vector<Trace> traces) {
    const auto facts = facts_of(traces, builtin_rules());
    const auto* fact = fact_named(facts, "p2p.write");
    return fact == nullptr ? "unknown" : fact->value.is(FactValue(true)) ? "true" : "false";
  };
  const auto passed = trace(first, good_end(first));
  const auto skipped = Trace{second, skipped_run(second, "budget", kHost), {}};
  CHECK(std::string(made({passed})) == "true");
  CHECK(std::string(made({passed, skipped})) == "unknown");
  CHECK(std::string(made({passed, trace(second, hung_end(second))})) == "false");
  // The other direction is a fact of its own.
  auto back = second;
  std::swap(back.gpus[0], back.gpus[1]);
  std::vector<Trace> both{passed, trace(back, hung_end(back))};
  const auto facts = facts_of(both, builtin_rules());
  CHECK(find_fact(facts, "p2p.write", {SubjectKind::pair, first.gpus})->value.is(FactValue(true)));
  CHECK(find_fact(facts, "p2p.write", {SubjectKind::pair, back.gpus})->value.is(FactValue(false)));
}

TEST_CASE("second tries and steps with a wait in between do not speak for the rung") {
  const auto planned = step_of("ccl.allreduce");
  auto failed = trace(planned, hung_end(planned));
  auto again = trace(planned, good_end(planned));
  again.run.variant = "NCCL_PROTO=Simple";
  std::vector<Trace> traces{failed, again};
  CHECK(fact_named(facts_of(traces, builtin_rules()), "ccl.allreduce")->value.is(FactValue(false)));
  auto waiting = step_of("ccl.switching", 4);
  waiting.counts = false;
  std::vector<Trace> others{trace(waiting, good_end(waiting))};
  CHECK(facts_of(others, builtin_rules()).empty());
}

TEST_CASE("what a driver answers is a queried fact, and a no keeps what needs it from being tried") {
  const auto planned = step_of("p2p.access");
  auto end = good_end(planned);
  end.results[0].answers = {{"p2p.access", "false"}, {"name", "some text"}, {"library_path", "/tmp"}};
  std::vector<Trace> traces{trace(planned, end)};
  const auto facts = facts_of(traces, builtin_rules());
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].value.is(FactValue(false)));
  CHECK(facts[0].tier == Tier::queried);
  CHECK_FALSE(has_passed(traces, "p2p.access", planned.gpus));
  end.results[0].answers[0].second = "true";
  std::vector<Trace> granted{trace(planned, end)};
  CHECK(has_passed(granted, "p2p.access", planned.gpus));
}

TEST_CASE("a run that did not pass names no fact that holds") {
  const auto planned = step_of("p2p.access");
  auto end = hung_end(planned);
  end.results.push_back(answer(planned, 0));
  end.results[0].answers = {{"p2p.access", "true"}};
  std::vector<Trace> traces{trace(planned, end)};
  CHECK(traces[0].run.state == ProbeState::hung);
  CHECK(facts_of(traces, builtin_rules()).at(0).value.is(FactValue(true)));
  CHECK(traces[0].run.facts.empty());
}

TEST_CASE("a need about single GPUs has to hold for all of them") {
  auto one = step_of("gpu.dispatch");
  std::vector<Trace> traces{trace(one, good_end(one))};
  CHECK(has_passed(traces, "gpu.dispatch", {simulated_device(0)}));
  CHECK_FALSE(has_passed(traces, "gpu.dispatch", {simulated_device(0), simulated_device(1)}));
}

TEST_CASE("rates become facts, but not those above what the way can carry") {
  const auto planned = step_of("p2p.write");
  auto end = good_end(planned);
  end.results[0].gbytes_per_s = 20;
  end.results[1].gbytes_per_s = 21;
  auto one = trace(planned, end);
  Ceilings ceilings;
  ceilings.pair[{planned.gpus[0], planned.gpus[1]}] = 19.1;
  hold_against(ceilings, one.run, planned);
  CHECK(one.run.state == ProbeState::passed);  // within 5 percent
  std::vector<Trace> traces{one};
  CHECK(fact_named(facts_of(traces, builtin_rules()), "p2p.rate")->value.is(FactValue(20.0)));
  ceilings.pair[{planned.gpus[0], planned.gpus[1]}] = 19.0;
  hold_against(ceilings, one.run, planned);
  CHECK(one.run.state == ProbeState::invalid);
  CHECK(one.run.reason == "20 GB/s were measured, but the way can carry 19 GB/s at most: no measurement");
  std::vector<Trace> invalid{one};
  CHECK(facts_of(invalid, builtin_rules()).empty());
  auto unknown = trace(planned, end);
  hold_against({}, unknown.run, planned);
  CHECK(unknown.run.state == ProbeState::passed);
}

TEST_CASE("the exit code is that of the gravest run") {
  const auto code = [](std::vector<ProbeState> states, const std::string& rung = "ccl.init") {
    std::vector<ProbeRun> runs;
    for (const auto state : states) {
      runs.emplace_back();
      runs.back().rung = rung;
      runs.back().state = state;
    }
    return static_cast<int>(exit_code_of(runs));
  };
  CHECK(code({}) == 3);
  CHECK(code({ProbeState::skipped}) == 3);
  CHECK(code({ProbeState::passed, ProbeState::skipped}) == 0);
  CHECK(code({ProbeState::passed, ProbeState::failed}) == 1);
  CHECK(code({ProbeState::passed, ProbeState::wrong_data}) == 1);
  CHECK(code({ProbeState::passed, ProbeState::crashed}) == 1);
  CHECK(code({ProbeState::passed, ProbeState::crashed, ProbeState::hung}) == 4);
  CHECK(code({ProbeState::passed, ProbeState::invalid}) == 3);
  CHECK(code({ProbeState::passed, ProbeState::refused}) == 1);
  CHECK(code({ProbeState::passed, ProbeState::passed}, "p2p.read") == 0);
  std::vector<ProbeRun> peer(2);
  peer[0].rung = "p2p.access";
  peer[0].state = ProbeState::refused;
  peer[1].rung = "ccl.allreduce";
  peer[1].state = ProbeState::passed;
  CHECK(static_cast<int>(exit_code_of(peer)) == 2);
  peer[0].variant = "NCCL_PROTO=Simple";
  CHECK(static_cast<int>(exit_code_of(peer)) == 0);
}

TEST_CASE("lines that the catalogue knows are quoted with where they stand") {
  const auto planned = step_of("ccl.allreduce");
  auto end = hung_end(planned);
  end.ranks[1].output = "starting\nError: failed to extend /dev/shm/nccl-abc to 9637892 bytes\nbye\n";
  LogLine line;
  line.cause = "nvidia-fallen-off";
  line.text = "NVRM: Xid (PCI:0000:0b:00): 79, GPU has fallen off the bus";
  const auto findings = log_findings(planned, end, {line, line}, builtin_rules());
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].find("failed to extend /dev/shm/nccl-") != std::string::npos);
  CHECK(findings[0].find("(written by rank 1 (host:1); gpucoop explain nccl-shm-too-small)") != std::string::npos);
  CHECK(findings[1].find("fallen off the bus\" (kernel log; gpucoop explain nvidia-fallen-off)") != std::string::npos);
  CHECK(findings[1].find("What to do: check power and cooling") != std::string::npos);
  const auto said = log_findings(planned, StepEnd(), {}, builtin_rules(),
                                 "cuInit: CUDA_ERROR_SYSTEM_NOT_READY (802): system not yet initialized");
  REQUIRE(said.size() == 1);
  CHECK(
      said[0].find("fabric has not been set up (gpucoop explain cuda-system-not-ready). What to do: sudo systemctl") !=
      std::string::npos);
  CHECK(last_words(planned, end) == "last line of rank 1 (host:1): \"bye\"");
  CHECK(last_words(planned, StepEnd()).empty());
}
