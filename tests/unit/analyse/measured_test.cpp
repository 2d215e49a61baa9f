#include "analyse/measured.hpp"

#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

/// Two NVIDIA GPUs below two root ports.
Topology two_gpus() {
  Host host;
  host.device("00:00.0", 0x1022, 0x14d8, 0x0600);
  host.bridge("00:01.1", 1, 1, PortType::root_port);
  host.gpu("01:00.0", 0x10de, 0x2204);
  host.bridge("00:01.2", 2, 2, PortType::root_port);
  host.gpu("02:00.0", 0x10de, 0x2204);
  return host.judge();
}

Fact fact(const std::string& id, SubjectKind kind, const std::vector<std::string>& of, Known<FactValue> value,
          Tier tier = Tier::probed) {
  Fact result;
  result.id = id;
  result.subject.kind = kind;
  for (const auto& address : of) result.subject.of.push_back(at(address));
  result.value = std::move(value);
  result.tier = tier;
  result.evidence = "seen";
  return result;
}

Measurements of(const Topology& topology, std::vector<Fact> facts) {
  Measurements measured;
  measured.fingerprint = topology.host.fingerprint;
  measured.taken_at = "2026-11-30T06:44:55Z";
  measured.facts = std::move(facts);
  return measured;
}

const Fact& the(const Topology& topology, const Fact& like) {
  const auto* found = find_fact(topology.facts, like.id, like.subject);
  REQUIRE(found != nullptr);
  return *found;
}

const std::vector<std::string> kBoth = {"01:00.0", "02:00.0"};

}  // namespace

TEST_CASE("measured: facts that nobody knew are added, for parts of a set too") {
  auto topology = two_gpus();
  const auto write = fact("p2p.write", SubjectKind::pair, kBoth, FactValue(true));
  const auto alone = fact("ccl.allreduce", SubjectKind::set, {"02:00.0"}, FactValue(true));
  const auto before = topology.facts.size();
  CHECK_FALSE(add_measurements(topology, of(topology, {write, alone}), builtin_rules()));
  CHECK(topology.facts.size() == before + 2);
  CHECK(the(topology, write).value.is(FactValue(true)));
  CHECK(the(topology, write).evidence == "seen");
  CHECK(the(topology, alone).tier == Tier::probed);
  CHECK_FALSE(add_measurements(topology, {}, builtin_rules()));
}

TEST_CASE("measured: what is known replaces what is unknown, and better evidence weaker") {
  auto topology = two_gpus();
  auto access =
      fact("p2p.access", SubjectKind::pair, kBoth, Known<FactValue>::unknown(Reason::not_probed), Tier::queried);
  topology.facts.push_back(access);
  access.value = FactValue(true);
  CHECK_FALSE(add_measurements(topology, of(topology, {access}), builtin_rules()));
  CHECK(the(topology, access).value.is(FactValue(true)));
  CHECK(the(topology, access).tier == Tier::queried);

  auto probed = access;
  probed.value = FactValue(false);
  probed.tier = Tier::probed;
  CHECK_FALSE(add_measurements(topology, of(topology, {probed}), builtin_rules()));
  CHECK(the(topology, access).value.is(FactValue(false)));
  CHECK(the(topology, access).tier == Tier::probed);

  CHECK_FALSE(add_measurements(topology, of(topology, {access}), builtin_rules()));
  CHECK(the(topology, access).value.is(FactValue(false)));
  CHECK_FALSE(warns(topology, "probe-results.disagreement"));
}

TEST_CASE("measured: of equally good evidence that differs neither is taken") {
  auto topology = two_gpus();
  auto first = fact("ccl.allreduce", SubjectKind::set, kBoth, FactValue(true));
  auto turned = fact("ccl.allreduce", SubjectKind::set, {"02:00.0", "01:00.0"}, FactValue(true));
  CHECK_FALSE(add_measurements(topology, of(topology, {first, turned}), builtin_rules()));
  CHECK(the(topology, first).value.is(FactValue(true)));
  CHECK(find_fact(topology.facts, turned.id, turned.subject) == nullptr);
  CHECK_FALSE(warns(topology, "probe-results.disagreement"));

  turned.value = FactValue(false);
  CHECK_FALSE(add_measurements(topology, of(topology, {turned}), builtin_rules()));
  CHECK(the(topology, first).value == Known<FactValue>::unknown(Reason::disagreement));
  CHECK(warns(topology, "probe-results.disagreement"));
  CHECK_FALSE(add_measurements(topology, of(topology, {first}), builtin_rules()));
  CHECK(the(topology, first).value.is_unknown());
}

TEST_CASE("measured: results that contradict themselves are refused whole") {
  auto topology = two_gpus();
  const auto before = topology.facts.size();
  const auto holds = fact("ccl.allreduce", SubjectKind::set, kBoth, FactValue(true));
  const auto turned = fact("ccl.allreduce", SubjectKind::set, {"02:00.0", "01:00.0"}, FactValue(false));
  auto error = add_measurements(topology, of(topology, {holds, turned}), builtin_rules());
  REQUIRE(error);
  CHECK(error->code == ExitCode::bad_input);
  CHECK(error->what.find("both true and false") != std::string::npos);
  auto weaker = turned;
  weaker.tier = Tier::queried;
  CHECK_FALSE(add_measurements(topology, of(topology, {holds, weaker}), builtin_rules()));
  CHECK(topology.facts.size() == before + 1);
}

TEST_CASE("measured: only a run that passed shows that something holds") {
  auto holds = fact("ccl.allreduce", SubjectKind::set, kBoth, FactValue(true));
  auto fails = holds;
  fails.value = FactValue(false);
  const auto what = [](ProbeState state, const std::vector<Fact>& facts, std::vector<std::string> named,
                       bool also_passed = false) {
    auto topology = two_gpus();
    auto measured = of(topology, facts);
    ProbeRun run;
    run.rung = "collective";
    run.gpus = {"0000:01:00.0", "0000:02:00.0"};
    run.state = state;
    run.facts = std::move(named);
    measured.runs = {run};
    if (also_passed) {
      run.state = ProbeState::passed;
      measured.runs.push_back(run);
    }
    const auto error = add_measurements(topology, measured, builtin_rules());
    return error ? error->what : std::string();
  };
  const std::vector<std::string> named = {reference(holds)};
  CHECK(what(ProbeState::passed, {holds}, named).empty());
  for (const auto state :
       {ProbeState::failed, ProbeState::wrong_data, ProbeState::refused, ProbeState::crashed, ProbeState::hung}) {
    CHECK(what(state, {holds}, named).find("the fact says that it holds") != std::string::npos);
    CHECK(what(state, {holds}, named, true).empty());
    CHECK(what(state, {fails}, named).empty());
  }
  for (const auto state : {ProbeState::skipped, ProbeState::invalid, ProbeState::inconclusive}) {
    CHECK(what(state, {holds}, named).find("establishes nothing") != std::string::npos);
    CHECK(what(state, {fails}, named).find("establishes nothing") != std::string::npos);
    CHECK(what(state, {holds}, {}).empty());
  }
  const std::vector<std::string> of_a_later_version = {"ccl.mood@0000:01:00.0"};
  for (const auto state : {ProbeState::failed, ProbeState::wrong_data, ProbeState::crashed}) {
    CHECK(what(state, {}, named).find("no fact says what came of it") != std::string::npos);
    CHECK(what(state, {}, of_a_later_version).empty());
  }
  CHECK(what(ProbeState::hung, {}, named).empty());
}

TEST_CASE("measured: a direction of a pair is not the other one") {
  auto topology = two_gpus();
  const auto there = fact("p2p.write", SubjectKind::pair, kBoth, FactValue(true));
  const auto back = fact("p2p.write", SubjectKind::pair, {"02:00.0", "01:00.0"}, FactValue(false));
  CHECK_FALSE(add_measurements(topology, of(topology, {there, back}), builtin_rules()));
  CHECK(the(topology, there).value.is(FactValue(true)));
  CHECK(the(topology, back).value.is(FactValue(false)));
}

TEST_CASE("measured: numbers that a report has rounded are equal") {
  auto topology = two_gpus();
  auto memory = fact("gpu.memory", SubjectKind::gpu, {"01:00.0"}, FactValue(1024.12345), Tier::queried);
  topology.facts.push_back(memory);
  memory.value = FactValue(1024.123);
  CHECK_FALSE(add_measurements(topology, of(topology, {memory}), builtin_rules()));
  CHECK_FALSE(warns(topology, "probe-results.disagreement"));
}

TEST_CASE("measured: results of another host or GPU are refused whole") {
  auto topology = two_gpus();
  const auto before = topology.facts.size();
  auto measured = of(topology, {fact("p2p.write", SubjectKind::pair, kBoth, FactValue(true))});
  measured.fingerprint = "0000000000000000";
  auto error = add_measurements(topology, measured, builtin_rules());
  REQUIRE(error);
  CHECK(error->code == ExitCode::bad_input);
  CHECK(error->what.find("0000000000000000") != std::string::npos);
  CHECK(error->what.find(topology.host.fingerprint) != std::string::npos);
  CHECK_FALSE(error->next.empty());

  measured = of(topology, {fact("p2p.write", SubjectKind::pair, {"01:00.0", "03:00.0"}, FactValue(true))});
  error = add_measurements(topology, measured, builtin_rules());
  REQUIRE(error);
  CHECK(error->what.find("0000:03:00.0 is no GPU of this host") != std::string::npos);

  ProbeRun run;
  run.rung = "p2p.write";
  run.gpus = {"0000:00:01.1"};
  measured.facts.clear();
  measured.runs = {run};
  CHECK(add_measurements(topology, measured, builtin_rules()).has_value());
  measured.runs[0].gpus = {"host:0"};
  CHECK(add_measurements(topology, measured, builtin_rules()).has_value());
  CHECK(topology.facts.size() == before);
}

TEST_CASE("measured: what only a reading establishes is not taken from a probe") {
  auto topology = two_gpus();
  const auto rate = fact("link.rate", SubjectKind::gpu, {"01:00.0"}, FactValue(99.0));
  const auto odd = fact("gpu.mood", SubjectKind::gpu, {"01:00.0"}, FactValue(true));
  const auto text = fact("p2p.read", SubjectKind::pair, kBoth, FactValue(std::string("yes")));
  CHECK_FALSE(add_measurements(topology, of(topology, {rate, odd, text}), builtin_rules()));
  CHECK_FALSE(the(topology, rate).value.is(FactValue(99.0)));
  CHECK(find_fact(topology.facts, odd.id, odd.subject) == nullptr);
  CHECK(find_fact(topology.facts, text.id, text.subject) == nullptr);
  CHECK(warns(topology, "probe-results.left-out"));
}

TEST_CASE("measured: of a static fact that drivers know as well, the driver's word counts") {
  auto topology = two_gpus();
  auto fabric = fact("fabric.direct", SubjectKind::pair, kBoth, FactValue(true));
  fabric.tier = Tier::queried;
  CHECK_FALSE(add_measurements(topology, of(topology, {fabric}), builtin_rules()));
  CHECK(the(topology, fabric).value.is(FactValue(true)));
  CHECK_FALSE(warns(topology, "probe-results.left-out"));
}

TEST_CASE("measured: evidence that a recording does not carry is made from the run") {
  auto topology = two_gpus();
  auto reduce = fact("ccl.allreduce", SubjectKind::set, kBoth, FactValue(true));
  reduce.evidence.clear();
  auto other = fact("p2p.write", SubjectKind::pair, kBoth, FactValue(true));
  other.evidence.clear();
  auto measured = of(topology, {reduce, other});
  ProbeRun run;
  run.rung = "collective";
  run.gpus = {"0000:01:00.0", "0000:02:00.0"};
  run.library_name = "nccl";
  run.library_version = "2.28.3";
  run.state = ProbeState::passed;
  run.facts = {reference(reduce)};
  measured.runs = {run};
  CHECK_FALSE(add_measurements(topology, measured, builtin_rules()));
  CHECK(the(topology, reduce).evidence == "measured on 2026-11-30 by collective (nccl 2.28.3)");
  CHECK(the(topology, other).evidence == "measured on 2026-11-30");
}
