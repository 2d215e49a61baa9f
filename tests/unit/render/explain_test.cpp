#include "render/explain.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

using namespace gpucoop;

namespace {

Explanation example() {
  Explanation e;
  e.name = {"gate", "hostcall", "The library can launch its kernels"};
  e.meaning =
      "A long meaning that has to be wrapped somewhere, since nobody reads lines that are wider than the screen";
  Need inner;
  inner.text = "each GPU: atomics work [atomics.state]";
  inner.ids = {"atomics.state"};
  inner.here = {{Tri::no, Tri::no}};
  Need need;
  need.text = "the library can be launched [library-kernels]";
  need.ids = {"library-kernels"};
  need.here = {{Tri::unknown, Tri::yes}};
  need.inside = {inner};
  e.needs = {need};
  e.used_by = {{"mode", "tensor", "Tensor parallelism"}};
  e.remedies = {{"fix", "Fix it", {"atomics.state"}, "an hour", "low"}};
  e.source = "somewhere";
  return e;
}

std::string text_of(const Explanation& e) { return render_explanation_text(e, TextOptions{}); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the text says what it is, what it needs and where it comes from, within 80 columns") {
  const auto text = text_of(example());
  CHECK(text.rfind("hostcall (gate)\n", 0) == 0);
  CHECK(has(text, "  - the library can be launched [library-kernels]"));
  CHECK(has(text, "\n    - each GPU: atomics work [atomics.state]"));
  CHECK(has(text, "Fix it."));
  CHECK(has(text, "Risk: Low."));
  CHECK(has(text, "Source\n  Somewhere."));
  CHECK_FALSE(has(text, "On this host"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("an engine's way tells what turns it on and what to set or avoid") {
  auto e = example();
  e.name = {"engine-mode", "vllm.tensor", "vLLM, tensor parallel"};
  e.flags = {"--tensor-parallel-size {count}"};
  e.advice = {{Advice::Kind::set, "NCCL_PROTO=Simple", "it can stall", "both GPUs at 100 %"},
              {Advice::Kind::avoid, "GGML_CUDA_P2P", "data do not arrive", ""}};
  const auto text = text_of(e);
  CHECK(has(text, "What turns it on\n  --tensor-parallel-size {count}\n"));
  CHECK(has(text, "  set   NCCL_PROTO=Simple\n        It can stall.\n        Else: both GPUs at 100 %\n"));
  CHECK(has(text, "  avoid GGML_CUDA_P2P\n        Data do not arrive.\n"));
  const auto json = nlohmann::json::parse(render_explanation_json(e));
  CHECK(json["flags"] == nlohmann::json{"--tensor-parallel-size {count}"});
  CHECK(json["advice"][1]["kind"] == "avoid");
  CHECK(json["advice"][1]["otherwise"].is_null());
}

TEST_CASE("every kind of entry has a heading in the list of ids") {
  for (const auto* kind : {"mode", "engine", "engine-mode", "advice", "gate", "fact", "remedy", "log-cause", "model",
                           "stack", "variant"}) {
    CAPTURE(kind);
    const auto text = render_rule_names_text({{kind, "an.id", "a title"}}, TextOptions{});
    CHECK_FALSE(has(text, "\n" + std::string(kind) + "\n"));
    CHECK(has(text, "an.id"));
  }
}

TEST_CASE("with a host the text says how it stands there first") {
  auto e = example();
  e.with_host = true;
  StandingHere here;
  here.set = {Address{0, 3, 0, 0}, Address{0, 0x0b, 0, 0}};
  here.state = "unknown";
  here.expected = "closed";
  here.why = "atomics are blocked";
  Fact fact;
  fact.id = "atomics.state";
  fact.subject = {SubjectKind::gpu, {Address{0, 0x0b, 0, 0}}};
  fact.value = FactValue(false);
  fact.evidence = "05:00.0 DevCap2 bit 6 = 0";
  here.evidence = {fact};
  e.standing = {here};
  e.remedies_here = {{"fix", "Fix 0b:00.0", {"atomics.state"}, "an hour", "low"}};
  const auto text = text_of(e);
  CHECK(text.find("On this host") < text.find("What it means"));
  CHECK(has(text, "03:00.0 and 0b:00.0      unknown, expected closed"));
  CHECK(has(text, "0b:00.0: no; 05:00.0 DevCap2 bit 6 = 0"));
  CHECK(has(text, "Fix 0b:00.0."));
  CHECK_FALSE(has(text, "Fix it."));  // the general remedy would say it twice
  CHECK(has(text, "not shown, expected to hold"));
  CHECK(has(text, "does not hold"));
}

TEST_CASE("control characters of a host never reach the terminal") {
  auto e = example();
  e.with_host = true;
  Fact fact;
  fact.id = "gpu.name";
  fact.subject = {SubjectKind::gpu, {Address{}}};
  fact.value = FactValue(std::string("Evil\x1b[2J card"));
  fact.evidence = "x\r\ny";
  e.facts = {fact};
  CHECK_FALSE(has(text_of(e), "\x1b"));
  CHECK_FALSE(has(text_of(e), "\r"));
  CHECK_FALSE(has(render_explanation_json(e), "\x1b"));
}

TEST_CASE("the JSON has every part, null where there is nothing to say") {
  const auto json = nlohmann::json::parse(render_explanation_json(example()));
  CHECK(json["schema"] == "gpucoop.explanation/1");
  CHECK(json["id"] == "hostcall");
  CHECK(json["needs"][0]["ids"][0] == "library-kernels");
  CHECK(json["needs"][0]["inside"][0]["here"][0]["established"] == "no");
  CHECK(json["remedies"][0]["changes"][0] == "atomics.state");
  CHECK(json["here"].is_null());
  CHECK(json["about"].is_null());
  auto e = example();
  e.with_host = true;
  CHECK(nlohmann::json::parse(render_explanation_json(e))["here"]["standing"].is_array());
}

TEST_CASE("the list groups the ids by kind") {
  const std::vector<RuleName> names = {{"mode", "tensor", "Tensor"}, {"mode", "ddp", "DDP"}, {"fact", "a.b", "a fact"}};
  const auto text = render_rule_names_text(names, TextOptions{});
  CHECK(text.find("Modes") < text.find("tensor"));
  CHECK(text.find("ddp") < text.find("Facts"));
  const auto json = nlohmann::json::parse(render_rule_names_json(names));
  CHECK(json["schema"] == "gpucoop.rules/1");
  CHECK(json["rules"].size() == 3);
  CHECK(json["rules"][2]["id"] == "a.b");
}
