#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "render/render.hpp"
#include "render/reports.hpp"

using namespace gpucoop;
using nlohmann::json;

TEST_CASE("every key of the contract is there, in its order") {
  const std::string text = render_json(test::blocked_board());
  CHECK(text.back() == '\n');
  const auto document = nlohmann::ordered_json::parse(text);
  std::vector<std::string> keys;
  for (const auto& item : document.items()) keys.push_back(item.key());
  CHECK(keys == std::vector<std::string>{"schema", "tool", "taken_at", "simulated", "sources", "host", "gpus", "links",
                                         "pairs", "facts", "sets", "modes", "engines", "costs", "remedies",
                                         "measured_at", "probes", "log", "warnings"});
  CHECK(document["schema"] == "gpucoop.report/1");
  CHECK(document["tool"]["name"] == "gpucoop");
  CHECK(document["engines"] == nlohmann::ordered_json::array());
  CHECK(document["probes"] == nlohmann::ordered_json::array());
}

TEST_CASE("a GPU is told with its chain, its atomics and its link") {
  const json document = json::parse(render_json(test::blocked_board()));
  const json& gpu = document["gpus"][1];
  CHECK(gpu["address"] == "0000:0b:00.0");
  CHECK(gpu["vendor"] == "amd");
  CHECK(gpu["ids"] == json{{"vendor", "1002"}, {"device", "7551"}});
  CHECK(gpu["bar"]["bytes"] == 34359738368);
  CHECK(gpu["holders"] == json::array());
  REQUIRE(gpu["chain"].size() == 6);
  CHECK(gpu["chain"][1]["address"] == "0000:05:00.0");
  CHECK(gpu["chain"][1]["role"] == "switch-upstream");
  CHECK(gpu["chain"][1]["atomics"]["routing"] == false);
  CHECK(gpu["chain"][3]["on_card"] == true);
  CHECK(gpu["atomics"]["state"] == "no");
  CHECK(gpu["atomics"]["requester_enabled"] == false);
  CHECK(gpu["atomics"]["blocking"] == json{"0000:05:00.0", "0000:06:09.0"});
  CHECK(gpu["link"]["at"] == "0000:06:09.0");
  CHECK(gpu["link"]["gbytes_per_s"] == 1.969);
  CHECK(gpu["link"]["speed_gts"] == 16);
  CHECK(gpu["link"]["width"] == 1);
}

TEST_CASE("what is unknown is null, never 0, false or an empty text") {
  const json document = json::parse(render_json(test::flat_guest()));
  const json& gpu = document["gpus"][0];
  for (const char* key : {"driver", "numa_node", "slot", "power_state", "bar", "package"}) {
    CAPTURE(key);
    CHECK(gpu[key].is_null());
  }
  CHECK(gpu["link"]["gbytes_per_s"].is_null());
  CHECK(gpu["link"]["at"].is_null());
  CHECK(gpu["atomics"]["requester_enabled"].is_null());
  CHECK(gpu["chain"][0]["atomics"]["routing"].is_null());
  CHECK(gpu["chain"][0]["link"]["width"].is_null());
  CHECK(gpu["chain"][0]["acs"]["request_redirect"].is_null());
  CHECK(document["pairs"][0]["fabric"].is_null());
  CHECK(document["pairs"][0]["p2p"]["a_to_b"]["write"].is_null());
  CHECK(document["host"]["kernel"].is_null());
  CHECK(document["modes"][3]["state"] == "unknown");
  CHECK(document["modes"][3]["expected"].is_null());
  const json& fact = document["facts"][0];
  CHECK(fact["status"] == "unknown");
  CHECK(fact["value"].is_null());
  CHECK(fact["reason"] == "vm");
}

TEST_CASE("a fact keeps its type, and a whole number is a whole number") {
  Report report = test::clean_board();
  Fact fact;
  fact.id = "bar.size";
  fact.subject = {SubjectKind::gpu, {test::at("03:00.0")}};
  for (const FactValue& value :
       {FactValue(true), FactValue(17179869184.0), FactValue(1.96923), FactValue(std::string("x"))}) {
    fact.value = value;
    report.topology.facts.push_back(fact);
  }
  fact.value = Known<FactValue>::absent();
  report.topology.facts.push_back(fact);
  fact.id = "set.gpus";
  fact.value = FactValue(2.0);
  report.judgement.facts.push_back(fact);
  const json facts = json::parse(render_json(report))["facts"];
  CHECK(facts[0]["value"] == true);
  CHECK(facts[1]["value"].is_number_integer());
  CHECK(facts[1]["value"] == 17179869184);
  CHECK(facts[2]["value"] == 1.969);
  CHECK(facts[3]["value"] == "x");
  CHECK(facts[4]["status"] == "absent");
  CHECK(facts[4]["value"].is_null());
  CHECK(facts[4]["reason"].is_null());
  CHECK(facts.size() == 6);
  CHECK(facts[5]["id"] == "set.gpus");
  CHECK(facts[0]["subject"] == json{{"kind", "gpu"}, {"of", {"0000:03:00.0"}}});
}

TEST_CASE("an expectation is given only where the state is unknown") {
  Report report = test::one_gpu();
  report.judgement.modes[0].expected = ModeState::no;
  CHECK(json::parse(render_json(report))["modes"][0]["expected"].is_null());
}

TEST_CASE("whatever a device is called, the document is ASCII and can be parsed") {
  Report report = test::clean_board();
  report.topology.gpus[0].name = std::string("\x1b[31m\xff\xfe\xe2\x80\xae\"\\\n\x7f\xc2\x9b");
  const std::string text = render_json(report);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    CHECK((c == '\n' || (byte >= 0x20 && byte < 0x7f)));
  }
  CHECK(json::parse(text)["gpus"][0]["name"].is_string());
}

TEST_CASE("one report gives one text") { CHECK(render_json(test::sixteen()) == render_json(test::sixteen())); }
