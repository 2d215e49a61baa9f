#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "read/recording/recording.hpp"
#include "read/report/report.hpp"

using namespace gpucoop;

namespace {

using Json = nlohmann::json;

Json pair_fact(const std::string& id, bool value) {
  return {{"id", id},
          {"subject", {{"kind", "pair"}, {"of", {"0000:01:00.0", "0000:02:00.0"}}}},
          {"status", "known"},
          {"value", value},
          {"reason", nullptr},
          {"tier", "probed"},
          {"evidence", "4096 words written and read back by their owner"}};
}

/// The report of a probe: one run, three facts, two of them measured.
Json document() {
  Json run = {{"rung", "p2p.write"}, {"op", nullptr},           {"gpus", {"0000:01:00.0", "0000:02:00.0"}},
              {"ranks", 2},          {"backend", "cuda"},       {"variant", nullptr},
              {"state", "passed"},   {"reason", nullptr},       {"bytes", 67108864},
              {"seconds", 0.25},     {"gbytes_per_s", 24.5},    {"library", {{"name", "nccl"}, {"version", "2.28.3"}}},
              {"simulated", false},  {"findings", {"nothing"}}, {"facts", {"p2p.write@0000:01:00.0,0000:02:00.0"}}};
  auto read_here = pair_fact("path.common", true);
  read_here["tier"] = "static";
  read_here["value"] = "switch";
  return {{"schema", "gpucoop.report/1"},
          {"taken_at", "2026-11-30T06:44:55Z"},
          {"simulated", false},
          {"host", {{"fingerprint", "0123456789abcdef"}}},
          {"probes", Json::array({run})},
          {"facts", Json::array({pair_fact("p2p.write", true), read_here, pair_fact("p2p.read", false)})}};
}

ProbeResults taken(const std::string& bytes) {
  auto result = read_measurements("probe.json", bytes, builtin_rules());
  if (!result.ok()) FAIL(result.error().where << ": " << result.error().what);
  return result.value();
}

Error refused(const std::string& bytes) {
  const auto result = read_measurements("probe.json", bytes, builtin_rules());
  if (result.ok()) FAIL("accepted: " << bytes.substr(0, 200));
  CHECK(result.error().code == ExitCode::bad_input);
  CHECK_FALSE(result.error().next.empty());
  return result.error();
}

/// With the value at the pointer replaced.
Error refused(const char* pointer, const Json& value) {
  auto json = document();
  json[Json::json_pointer(pointer)] = value;
  INFO(pointer);
  return refused(json.dump());
}

Error refused_without(const char* parent, const char* key) {
  auto json = document();
  json[Json::json_pointer(parent)].erase(key);
  return refused(json.dump());
}

}  // namespace

TEST_CASE("results of probes: what is measured is taken, the rest is not") {
  const auto results = taken(document().dump());
  CHECK(results.warnings.empty());
  const auto& measured = results.measured;
  CHECK(measured.fingerprint == "0123456789abcdef");
  CHECK(measured.taken_at == "2026-11-30T06:44:55Z");
  REQUIRE(measured.runs.size() == 1);
  const auto& run = measured.runs[0];
  CHECK(run.rung == "p2p.write");
  CHECK(run.op.empty());
  CHECK(run.gpus == std::vector<std::string>{"0000:01:00.0", "0000:02:00.0"});
  CHECK(run.ranks == 2);
  CHECK(run.state == ProbeState::passed);
  CHECK(run.bytes.is(67108864));
  CHECK(run.wrong_words.is_unknown());
  CHECK(run.gbytes_per_s.is(24.5));
  CHECK(run.library_version == "2.28.3");
  CHECK(run.findings == std::vector<std::string>{"nothing"});
  REQUIRE(measured.facts.size() == 2);
  CHECK(reference(measured.facts[0]) == "p2p.write@0000:01:00.0,0000:02:00.0");
  CHECK(measured.facts[0].value.is(FactValue(true)));
  CHECK(measured.facts[0].tier == Tier::probed);
  CHECK(measured.facts[1].value.is(FactValue(false)));
}

TEST_CASE("results of probes: they are of the day of the probe, not of a later report that has them") {
  auto json = document();
  json["measured_at"] = "2026-11-29T01:02:03Z";
  CHECK(taken(json.dump()).measured.taken_at == "2026-11-29T01:02:03Z");
  CHECK(refused("/measured_at", "yesterday").where == "probe.json: /measured_at");
}

TEST_CASE("results of probes: facts that nobody knows are no results") {
  auto json = document();
  json["facts"][0]["status"] = "unknown";
  json["facts"][0]["value"] = nullptr;
  json["facts"][0]["reason"] = "timeout";
  CHECK(taken(json.dump()).measured.facts.size() == 1);
}

TEST_CASE("results of probes: facts of a newer version are left out with one warning") {
  auto json = document();
  json["facts"].push_back(pair_fact("ccl.telepathy", true));
  json["facts"].push_back({{"id", "gpu.mood"}, {"something", "else"}});
  const auto results = taken(json.dump());
  CHECK(results.measured.facts.size() == 2);
  REQUIRE(results.warnings.size() == 1);
  CHECK(results.warnings[0].code == "probe-results.unknown-fact");
  CHECK(results.warnings[0].text.find("2 facts of the results") != std::string::npos);
}

TEST_CASE("results of probes: a recording that has some is taken as well") {
  Recording recording;
  recording.measured = taken(document().dump()).measured;
  const auto bytes = write_recording(recording, builtin_rules());
  const auto again = taken(bytes).measured;
  CHECK(again.fingerprint == "0123456789abcdef");
  CHECK(again.runs.size() == 1);
  REQUIRE(again.facts.size() == 2);
  CHECK(again.facts[0].evidence.empty());
  CHECK(refused(R"({"schema":"gpucoop.recording/1"})").what == "is a recording without results of probes");
  CHECK(refused(R"({"schema":"gpucoop.recording/1","measured":[]})").where == "probe.json: /measured");
}

TEST_CASE("results of probes: no JSON is told by line, another schema by its name") {
  CHECK(refused("{\n\"schema\": \"gpucoop.report/1\",\n").where == "probe.json:3");
  CHECK(refused("{\"schema\": \"gpucoop.report/1\",\n oops}").where == "probe.json:2");
  CHECK(refused("not JSON").where == "probe.json:1");
  CHECK(refused("[]").what == "is no JSON object");
  CHECK(refused("{}").what.find("`schema` is missing") != std::string::npos);
  CHECK(refused("/schema", 1).where == "probe.json: /schema");
  CHECK(refused("/schema", "other/1").what == "is JSON, but no report of gpucoop");
  CHECK(refused("/schema", "gpucoop.report/2").next == "read it with a newer gpucoop");
}

TEST_CASE("results of probes: what is missing or of a wrong type is told by JSON pointer") {
  for (const char* key : {"taken_at", "simulated", "host", "probes", "facts"}) {
    CHECK(refused_without("", key).what == "`" + std::string(key) + "` is missing");
  }
  CHECK(refused_without("/probes/0", "rung").where == "probe.json: /probes/0");
  CHECK(refused_without("/probes/0", "state").where == "probe.json: /probes/0");
  CHECK(refused_without("/facts/0", "tier").where == "probe.json: /facts/0");
  CHECK(refused("/taken_at", "30 November").where == "probe.json: /taken_at");
  CHECK(refused("/simulated", "no").what == "has to be true or false");
  CHECK(refused("/host", "here").what == "has to be an object");
  CHECK(refused("/host/fingerprint", nullptr).what.find("`fingerprint`") != std::string::npos);
  CHECK(refused("/host/fingerprint", 7).what == "has to be text");
  CHECK(refused("/probes", Json::object()).what == "has to be a list");
  CHECK(refused("/probes/0/state", "fine").what.find("'fine' is no word") != std::string::npos);
  CHECK(refused("/probes/0/ranks", -1).where == "probe.json: /probes/0/ranks");
  CHECK(refused("/probes/0/ranks", 1.5).what == "has to be a whole number from 0");
  CHECK(refused("/probes/0/bytes", "64M").where == "probe.json: /probes/0/bytes");
  CHECK(refused("/probes/0/seconds", true).what == "has to be a number");
  CHECK(refused("/probes/0/seconds", 1e300).what == "is larger than anything that is measured");
  CHECK(refused("/probes/0/library", "nccl").where == "probe.json: /probes/0/library");
  CHECK(refused("/probes/0/findings", "none").what == "has to be a list");
  CHECK(refused("/facts/0/id", 5).where == "probe.json: /facts/0/id");
  CHECK(refused("/facts/0/value", "yes").what == "`p2p.write` has to be true or false");
  CHECK(refused("/facts/0/value", Json::array()).where == "probe.json: /facts/0/value");
  CHECK(refused("/facts/0/status", "maybe").where == "probe.json: /facts/0/status");
  CHECK(refused("/facts/0/tier", "certain").where == "probe.json: /facts/0/tier");
}

TEST_CASE("results of probes: an address that is none, and a subject that the fact is not about") {
  CHECK(refused("/probes/0/gpus/0", "gpu0").where == "probe.json: /probes/0/gpus/0");
  CHECK(refused("/facts/0/subject/of/1", "0000:02:20.0").where == "probe.json: /facts/0/subject/of/1");
  CHECK(refused("/facts/0/subject/of", Json::array({"0000:01:00.0"})).what.find("as many addresses") !=
        std::string::npos);
  CHECK(refused("/facts/0/subject/of/1", "0000:01:00.0").what == "names a GPU twice");
  CHECK(refused("/facts/0/subject/kind", "gpu").what == "`p2p.write` is about a pair");
}

TEST_CASE("results of probes: a simulated run says nothing about GPUs") {
  CHECK(refused("/simulated", true).what.find("simulated") != std::string::npos);
  CHECK(refused("/probes/0/simulated", true).where == "probe.json: /probes/0");
  CHECK(refused("/probes/0/gpus/1", "host:1").what.find("simulated") != std::string::npos);
  CHECK(refused("/facts/0/subject/of/0", "host:0").code == ExitCode::bad_input);
}

TEST_CASE("results of probes: a report in which nothing was measured has none") {
  auto json = document();
  json["probes"] = Json::array();
  json["facts"] = Json::array();
  CHECK(refused(json.dump()).what.find("holds no results") != std::string::npos);
}

TEST_CASE("results of probes: what is too deep, too long or no number is refused before it is stored") {
  CHECK(refused(std::string(100000, '[')).what == "is nested deeper than any report");
  CHECK(refused("{\"schema\":\"gpucoop.report/1\",\"x\":1e999}").code == ExitCode::bad_input);
  CHECK(refused("/probes/0/rung", std::string(20000, 'x')).what == "is longer than any text of a report");
  CHECK(refused("/probes", Json(std::vector<Json>(5000, document()["probes"][0]))).what ==
        "is longer than in any report");
  CHECK(refused(std::string((std::size_t{32} << 20) + 1, ' ')).what.find("larger than any report") !=
        std::string::npos);
}

TEST_CASE("results of probes: a key that stands twice, a negative time and an endless name are mistakes") {
  auto text = document().dump();
  const std::string simulated = "\"simulated\":false";
  text.replace(text.find(simulated), simulated.size(), "\"simulated\":true," + simulated);
  CHECK(refused(text).what == "has the key `simulated` twice in one object");
  CHECK(refused("/probes/0/seconds", -1).where == "probe.json: /probes/0/seconds");
  CHECK(refused("/probes/0/bus_gbytes_per_s", -0.5).what == "has to be a number from 0");
  CHECK(refused("/probes/0/op", std::string(201, 'x')).where == "probe.json: /probes/0/op");
  CHECK(refused("/facts/0/status", "absent").what == "is given, though `status` is absent");
}

TEST_CASE("results of probes: what a run names is named as facts are cited") {
  auto json = document();
  json["probes"][0]["facts"] = {"p2p.write@02:00.0,01:00.0", "ccl.allreduce@02:00.0,0000:01:00.0", "ccl.mood@x",
                                "text"};
  const auto measured = taken(json.dump()).measured;
  CHECK(measured.runs[0].facts == std::vector<std::string>{"p2p.write@0000:02:00.0,0000:01:00.0",
                                                           "ccl.allreduce@0000:01:00.0,0000:02:00.0", "ccl.mood@x",
                                                           "text"});
}
