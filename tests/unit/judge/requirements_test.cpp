#include "judge/requirements.hpp"

#include <doctest/doctest.h>

#include "judge/machine.hpp"

using namespace gpucoop;
using test::at;

namespace {

const Known<ModeState> kNothing = Known<ModeState>::unknown(Reason::not_probed);

Gpu gpu(const char* address, Vendor vendor = Vendor::amd) {
  Gpu g;
  g.address = at(address);
  g.vendor = vendor;
  return g;
}

ModeVerdict mode(const char* id, std::vector<Address> set, ModeState state, Known<ModeState> expected = kNothing) {
  ModeVerdict m;
  m.id = id;
  m.set = std::move(set);
  m.state = state;
  m.expected = expected;
  m.why = std::string("because of ") + id;
  m.decided_by = {"ccl.allreduce@0000:03:00.0,0000:0b:00.0"};
  return m;
}

const std::vector<Address> kTwo = {at("03:00.0"), at("0b:00.0")};
const std::vector<Address> kFour = {at("03:00.0"), at("0b:00.0"), at("0c:00.0"), at("0d:00.0")};

/// A host of AMD GPUs in one set, whose listing is complete.
Report host(const std::vector<Address>& set, std::vector<ModeVerdict> modes) {
  Report report;
  report.topology.lists_devices = true;
  report.topology.listing_complete = true;
  for (const Address& a : set) report.topology.gpus.push_back(gpu(to_string(a).c_str()));
  report.judgement.sets = {{set, "the AMD GPUs"}};
  report.judgement.modes = std::move(modes);
  return report;
}

/// Two engines, one of which does tensor on AMD and context on NVIDIA only.
const Rules& rules() {
  static const Rules result = [] {
    Rules r;
    r.engines = {{"fast", "Fast", "", ""}, {"slow", "Slow", "", ""}};
    EngineModeRule row;
    row.id = "fast.tensor";
    row.engine = "fast";
    row.mode = "tensor";
    r.engine_modes.push_back(row);
    row.id = "fast.context";
    row.mode = "context";
    row.vendors = {"nvidia"};
    r.engine_modes.push_back(row);
    return r;
  }();
  return result;
}

RequirementVerdict one(const Report& report, const Requirement& wanted, RequirementOptions options = {}) {
  const auto verdict = judge_requirements(report, rules(), {wanted}, options);
  REQUIRE(verdict.requirements.size() == 1);
  CHECK(verdict.exit_code == verdict.requirements.front().exit_code);
  return verdict.requirements.front();
}

constexpr RequirementOptions kAccept{true, false};

EngineVerdict way(const char* id, std::vector<Address> set, ModeState state, Known<ModeState> expected = kNothing) {
  EngineVerdict w;
  w.id = id;
  w.engine = "fast";
  w.mode = "tensor";
  w.set = std::move(set);
  w.state = state;
  w.expected = expected;
  w.why = id;
  return w;
}

}  // namespace

TEST_CASE("each state has its exit code") {
  struct Row {
    ModeState state;
    Known<ModeState> expected;
    ExitCode plain;
    ExitCode accepting;
    bool accepted;
    const char* words;
    const char* accepted_words;
  };
  const Row rows[] = {
      {ModeState::yes, kNothing, ExitCode::ok, ExitCode::ok, false, "yes", "yes"},
      {ModeState::no, kNothing, ExitCode::no, ExitCode::no, false, "no", "no"},
      {ModeState::degraded, kNothing, ExitCode::degraded, ExitCode::degraded, false, "degraded", "degraded"},
      {ModeState::unknown, kNothing, ExitCode::unknown, ExitCode::unknown, false, "unknown", "unknown"},
      {ModeState::unknown, ModeState::unknown, ExitCode::unknown, ExitCode::unknown, false, "unknown", "unknown"},
      {ModeState::unknown, ModeState::yes, ExitCode::unknown, ExitCode::ok, true, "unknown, expected yes",
       "expected, unproven"},
      {ModeState::unknown, ModeState::degraded, ExitCode::unknown, ExitCode::degraded, true,
       "unknown, expected degraded", "expected degraded"},
      {ModeState::unknown, ModeState::no, ExitCode::unknown, ExitCode::no, true, "unknown, expected no", "expected no"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.words);
    const Report report = host(kTwo, {mode("tensor", kTwo, row.state, row.expected)});
    const auto plain = one(report, {"tensor", "", {}});
    CHECK(plain.exit_code == row.plain);
    CHECK_FALSE(plain.accepted);
    CHECK(outcome(plain) == row.words);
    const auto accepting = one(report, {"tensor", "", {}}, kAccept);
    CHECK(accepting.exit_code == row.accepting);
    CHECK(accepting.accepted == row.accepted);
    CHECK(outcome(accepting) == row.accepted_words);
    CHECK(accepting.state == row.state);
    CHECK(accepting.set == kTwo);
    CHECK(accepting.why == "because of tensor");
  }
}

TEST_CASE("hung is a no whose deciding fact comes from a probe that hung") {
  Report report = host(kTwo, {mode("tensor", kTwo, ModeState::no)});
  ProbeRun run;
  run.state = ProbeState::wrong_data;
  run.facts = {"ccl.allreduce@0000:03:00.0,0000:0b:00.0"};
  report.probes = {run};
  CHECK(one(report, {"tensor", "", {}}).exit_code == ExitCode::no);
  report.probes[0].state = ProbeState::hung;
  CHECK(one(report, {"tensor", "", {}}).exit_code == ExitCode::hung);
  CHECK(outcome(one(report, {"tensor", "", {}})) == "hung");
  report.judgement.modes[0].decided_by.insert(report.judgement.modes[0].decided_by.begin(), "set.gpus");
  CHECK(one(report, {"tensor", "", {}}).exit_code == ExitCode::no);
  report.judgement.modes[0].decided_by.erase(report.judgement.modes[0].decided_by.begin());
  report.judgement.modes[0].state = ModeState::unknown;
  report.judgement.modes[0].expected = ModeState::yes;
  report.judgement.modes[0].decided_by.insert(report.judgement.modes[0].decided_by.begin(),
                                              "gpu.dispatch@0000:03:00.0");
  report.probes[0].op = "all_reduce";
  const auto waited = one(report, {"tensor", "", {}}, kAccept);
  CHECK(waited.exit_code == ExitCode::hung);
  CHECK(outcome(waited) == "hung");
  CHECK_FALSE(waited.accepted);
  CHECK(waited.expected.is_unknown());
  CHECK(waited.why == "a probe of it did not come back (all_reduce)");
  report.probes[0].facts = {"ccl.broadcast@0000:03:00.0,0000:0b:00.0"};
  CHECK(one(report, {"tensor", "", {}}, kAccept).exit_code == ExitCode::ok);
}

TEST_CASE("the gravest of several requirements is the exit code") {
  const Report report = host(kTwo, {mode("tensor", kTwo, ModeState::unknown), mode("pipeline", kTwo, ModeState::no),
                                    mode("ddp", kTwo, ModeState::degraded), mode("fsdp", kTwo, ModeState::yes)});
  const auto code = [&](std::vector<Requirement> wanted) {
    return judge_requirements(report, rules(), wanted, {}).exit_code;
  };
  const Requirement tensor{"tensor", "", {}};
  const Requirement pipeline{"pipeline", "", {}};
  const Requirement ddp{"ddp", "", {}};
  const Requirement fsdp{"fsdp", "", {}};
  CHECK(code({fsdp}) == ExitCode::ok);
  CHECK(code({fsdp, ddp}) == ExitCode::degraded);
  CHECK(code({ddp, tensor}) == ExitCode::unknown);
  CHECK(code({ddp, tensor, pipeline, fsdp}) == ExitCode::no);
  CHECK(gravest({ExitCode::no, ExitCode::hung}) == ExitCode::hung);
  CHECK(gravest({ExitCode::hung, ExitCode::no_gpu}) == ExitCode::no_gpu);
  CHECK(gravest({ExitCode::no_gpu, ExitCode::busy}) == ExitCode::busy);
  CHECK(gravest({ExitCode::busy, ExitCode::internal}) == ExitCode::internal);
  CHECK(gravest({}) == ExitCode::ok);
}

TEST_CASE("fewer GPUs than required are a no only where no other can be there") {
  Report report = host(kTwo, {mode("tensor", kTwo, ModeState::yes)});
  CHECK(one(report, {"tensor", "", 2U}).exit_code == ExitCode::ok);
  CHECK(one(report, {"tensor", "", 3U}).state == ModeState::no);
  CHECK(one(report, {"tensor", "", 3U}).why == "3 GPUs are required and only 2 are there (03:00.0 and 0b:00.0)");
  report.topology.listing_complete = Known<bool>::unknown(Reason::not_in_input);
  const auto maybe = one(report, {"tensor", "", 3U}, kAccept);
  CHECK(maybe.state == ModeState::unknown);
  CHECK(maybe.exit_code == ExitCode::unknown);
  CHECK(maybe.why.find("may not list every GPU") != std::string::npos);
  CHECK(one(report, {"tensor", "", 3U}, {false, true}).state == ModeState::no);
}

TEST_CASE("the best part of a set is enough where it has as many GPUs as required") {
  ModeVerdict tensor = mode("tensor", kFour, ModeState::no);
  tensor.best = BestSubset{{kFour[0], kFour[1], kFour[3]}, ModeState::unknown, ModeState::yes, "0c:00.0 is blocked"};
  const Report report = host(kFour, {tensor});
  CHECK(one(report, {"tensor", "", {}}).state == ModeState::no);
  CHECK(one(report, {"tensor", "", {}}).best.has_value());
  CHECK(one(report, {"tensor", "", 4U}).state == ModeState::no);
  const auto part = one(report, {"tensor", "", 3U}, kAccept);
  CHECK(part.part);
  CHECK(part.set.size() == 3);
  CHECK(part.exit_code == ExitCode::ok);
  CHECK(part.why == "3 of the 4 GPUs are enough, without 0c:00.0: 0c:00.0 is blocked");
}

TEST_CASE("of several sets the best counts") {
  const std::vector<Address> other = {at("21:00.0"), at("22:00.0")};
  Report report = host(kTwo, {mode("tensor", kTwo, ModeState::no), mode("tensor", other, ModeState::degraded)});
  report.judgement.sets.push_back({other, "the NVIDIA GPUs"});
  CHECK(one(report, {"tensor", "", {}}).set == other);
  report.judgement.modes[0] = mode("tensor", kTwo, ModeState::unknown, ModeState::yes);
  CHECK(one(report, {"tensor", "", {}}).state == ModeState::degraded);
  CHECK(one(report, {"tensor", "", {}}, kAccept).set == kTwo);
}

TEST_CASE("an engine is judged by the best of its ways") {
  Report report = host(kTwo, {mode("tensor", kTwo, ModeState::yes)});
  report.judgement.engines = {way("fast.tensor", kTwo, ModeState::no),
                              way("fast.tensor-staged", kTwo, ModeState::unknown, ModeState::yes)};
  const auto fast = one(report, {"tensor", "fast", {}});
  REQUIRE(fast.way.has_value());
  CHECK(fast.way->id == "fast.tensor-staged");
  CHECK(fast.state == ModeState::unknown);
  CHECK(one(report, {"tensor", "fast", 3U}).state == ModeState::no);
  CHECK(one(report, {"tensor", "slow", {}}).state == ModeState::no);
  CHECK(one(report, {"tensor", "slow", {}}).why == "no way is known in which Slow does tensor");
  CHECK(one(report, {"context", "fast", {}}).why == "no way is known in which Fast does context on AMD GPUs");
}

TEST_CASE("without a GPU nothing is met") {
  Report report = host({}, {});
  report.judgement.sets.clear();
  for (const char* engine : {"", "fast"}) {
    CHECK(one(report, {"tensor", engine, {}}).state == ModeState::no);
    CHECK(one(report, {"tensor", engine, {}}).set.empty());
  }
  report.topology.listing_complete = Known<bool>::unknown(Reason::not_in_input);
  CHECK(one(report, {"tensor", "", {}}).state == ModeState::unknown);
}
