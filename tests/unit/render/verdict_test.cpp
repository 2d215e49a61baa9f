#include "render/verdict.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "render/escape.hpp"
#include "render/junit.hpp"
#include "render/render.hpp"
#include "render/reports.hpp"

using namespace gpucoop;
using nlohmann::json;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

RequirementVerdict unmet(const Report& report, ModeState state, Known<ModeState> expected, ExitCode code) {
  RequirementVerdict v;
  v.requirement = {"tensor", "", {}};
  v.set = report.judgement.sets.front().gpus;
  v.state = state;
  v.expected = expected;
  v.exit_code = code;
  v.why = "0b:00.0 is blocked";
  return v;
}

const Known<ModeState> kNothing = Known<ModeState>::unknown(Reason::not_probed);

Verdict verdict_of(std::vector<RequirementVerdict> requirements) {
  Verdict verdict;
  std::vector<ExitCode> codes;
  for (const auto& r : requirements) codes.push_back(r.exit_code);
  verdict.requirements = std::move(requirements);
  verdict.exit_code = gravest(codes);
  return verdict;
}

std::string text(const Report& report, const Verdict& verdict, bool verbose = false, bool color = false) {
  TextOptions options;
  options.verbose = verbose;
  options.color = color;
  return render_verdict_text(report, verdict, options);
}

/// `blocked_board` with a remedy and an engine's way that need words.
Report engine_board() {
  Report report = test::blocked_board();
  EngineVerdict way;
  way.id = "vllm.tensor";
  way.engine = "vllm";
  way.mode = "tensor";
  way.title = "vLLM with tensor parallelism";
  way.set = report.judgement.sets.front().gpus;
  way.expected = ModeState::no;
  way.why = "0b:00.0 is blocked";
  way.flags = {"--tensor-parallel-size 2"};
  way.advice = {{Advice::Kind::set, "NCCL_P2P_DISABLE=1", "peer copies are not expected to work", "a hang at start"},
                {Advice::Kind::avoid, "--enable-expert-parallel", "the model has no experts", ""}};
  report.judgement.engines = {way};
  return report;
}

}  // namespace

TEST_CASE("the text begins with the outcome, the mode and the GPUs") {
  const Report report = test::blocked_board();
  const auto verdict = verdict_of({unmet(report, ModeState::unknown, ModeState::no, ExitCode::unknown)});
  const std::string shown = text(report, verdict);
  CHECK(shown.find("unknown, expected no: tensor on 2 GPUs (03:00.0 and 0b:00.0)\n  0b:00.0 is blocked.\n") == 0);
  CHECK(has(shown, "Nothing was measured."));
  CHECK(has(shown, "gpucoop explain tensor"));
  CHECK(has(text(report, verdict, true), "  1   0b:00.0"));
  CHECK(text(report, verdict, false, true).find("\x1b[33munknown, expected no: ") == 0);
}

TEST_CASE("what was accepted is called expected and unproven") {
  const Report report = test::clean_board();
  auto one = unmet(report, ModeState::unknown, ModeState::yes, ExitCode::ok);
  one.accepted = true;
  CHECK(text(report, verdict_of({one})).find("expected, unproven: tensor on 2 GPUs") == 0);
  CHECK(render_verdict_line(report, verdict_of({one})).find("expected, unproven: tensor on 2 GPUs") == 0);
}

TEST_CASE("remedies are those of what is not met, with their price") {
  Report report = test::blocked_board();
  report.judgement.remedies = {{"move", "Move the card", {}, "an hour", "low"},
                               {"other", "Something else", {}, "", ""}};
  auto one = unmet(report, ModeState::no, kNothing, ExitCode::no);
  one.remedies = {"move"};
  const std::string shown = text(report, verdict_of({one}));
  CHECK(has(shown, "What would change it\n  1. Move the card.\n     Cost: an hour. Risk: low.\n"));
  CHECK_FALSE(has(shown, "Something else"));
  one.exit_code = ExitCode::ok;
  CHECK_FALSE(has(text(report, verdict_of({one})), "Move the card"));
}

TEST_CASE("the best part of a set is told with what stands in its way and how to choose it") {
  const Report report = test::sixteen();
  auto one = unmet(report, ModeState::no, kNothing, ExitCode::no);
  const auto& all = report.judgement.sets.front().gpus;
  one.best = BestSubset{{all[0], all[1], all[3]}, ModeState::unknown, ModeState::yes, "it is blocked"};
  const std::string shown = text(report, verdict_of({one}));
  CHECK(has(shown, "should work, which nothing has"));
  CHECK(has(shown, "--gpus 0,1,3"));
}

TEST_CASE("the answer of topo names the best part of a set that as a whole cannot") {
  Report report = test::blocked_board();
  const auto all = report.judgement.sets.front().gpus;
  for (ModeVerdict& mode : report.judgement.modes) {
    if (mode.id == "tensor") mode.best = BestSubset{{all[0]}, ModeState::yes, ModeState::yes, "it is blocked"};
  }
  const std::string told = render_text(report, TextOptions{});
  CAPTURE(told);
  CHECK(has(told, "alone can; 0b:00.0 stands in the way."));
}

TEST_CASE("an engine's flags are told with what one would see without them") {
  const Report report = engine_board();
  auto one = unmet(report, ModeState::unknown, ModeState::no, ExitCode::unknown);
  one.requirement.engine = "vllm";
  one.way = report.judgement.engines.front();
  const std::string shown = text(report, verdict_of({one}));
  CHECK(has(shown, "tensor with vllm on 2 GPUs"));
  CHECK(has(shown, "How to start it: vLLM with tensor parallelism\n"));
  CHECK(has(shown, "--tensor-parallel-size 2"));
  CHECK(has(shown, "NCCL_P2P_DISABLE=1"));
  CHECK(has(shown, "Otherwise one sees: a hang at start"));
  CHECK(has(shown, "avoid"));

  // What hung or cannot work is not to be started; and a long title is told whole.
  one.state = ModeState::no;
  one.way->title = "vLLM, expert parallel over data-parallel groups (all-gather and reduce-scatter)";
  const std::string stands = text(report, verdict_of({one}));
  CHECK_FALSE(has(stands, "How to start it"));
  CHECK(has(stands, "What would start it: vLLM, expert parallel over data-parallel groups"));
  CHECK(has(stands, "reduce-scatter)"));
}

TEST_CASE("what is wrong with the results of probes is told with the verdict") {
  Report report = test::blocked_board();
  report.topology.warnings.push_back({"input.odd", "something else is odd", ""});
  const auto answer = verdict_of({unmet(report, ModeState::unknown, ModeState::no, ExitCode::unknown)});
  CHECK_FALSE(has(text(report, answer), "About the results of probes"));
  report.topology.warnings.push_back({"probe-results.unknown-fact", "1 fact of the results is left out", "x.json"});
  CHECK(has(text(report, answer), "About the results of probes\n  1 fact of the results is left out.\n"));
  CHECK_FALSE(has(text(report, answer), "something else is odd"));
}

TEST_CASE("engines are in every JSON report and in the verbose view of topo alone") {
  const Report report = engine_board();
  const json engine = json::parse(render_json(report))["engines"][0];
  CHECK(engine["id"] == "vllm.tensor");
  CHECK(engine["expected"] == "no");
  CHECK(engine["advice"][0] == json{{"kind", "set"},
                                    {"text", "NCCL_P2P_DISABLE=1"},
                                    {"why", "peer copies are not expected to work"},
                                    {"otherwise", "a hang at start"}});
  CHECK(engine["advice"][1]["otherwise"].is_null());
  TextOptions options;
  CHECK_FALSE(has(render_text(report, options), "vllm.tensor"));
  options.verbose = true;
  CHECK(has(render_text(report, options), "Engines\n  vllm.tensor"));
}

TEST_CASE("no line is wider than 80 columns or ends in a blank") {
  const Report report = engine_board();
  auto one = unmet(report, ModeState::unknown, ModeState::no, ExitCode::unknown);
  one.way = report.judgement.engines.front();
  one.settled_by = std::string("all_reduce_perf -b 8 -e 64M -f 2 -g 2  # stop services that use the GPUs first");
  for (const bool verbose : {false, true}) {
    std::istringstream lines(text(report, verdict_of({one, one}), verbose));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(columns(line) <= 80);
      CHECK((line.empty() || line.back() != ' '));
    }
  }
}

TEST_CASE("the line is one line whatever the texts hold") {
  const Report report = test::blocked_board();
  auto one = unmet(report, ModeState::no, kNothing, ExitCode::no);
  one.why = "two\nlines\x1b[31m";
  const std::string line = render_verdict_line(report, verdict_of({one, one}));
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(line.find('\x1b') == std::string::npos);
}

TEST_CASE("JSON is the report with what became of the requirements") {
  const Report report = test::blocked_board();
  auto one = unmet(report, ModeState::unknown, ModeState::no, ExitCode::unknown);
  one.requirement.at_least = 2;
  const json document = json::parse(render_verdict_json(report, verdict_of({one})));
  CHECK(document["schema"] == "gpucoop.report/1");
  CHECK(document["exit_code"] == 3);
  CHECK(document["requirements"] == json::array({{{"mode", "tensor"},
                                                  {"engine", nullptr},
                                                  {"at_least", 2},
                                                  {"set", {"0000:03:00.0", "0000:0b:00.0"}},
                                                  {"state", "unknown"},
                                                  {"expected", "no"},
                                                  {"accepted", false},
                                                  {"exit_code", 3},
                                                  {"why", "0b:00.0 is blocked"}}}));
  CHECK(document["modes"][0]["best_subset"].is_null());
}

TEST_CASE("JUnit: only what is met passes") {
  Report report = test::blocked_board();
  report.topology.host.board = std::string("A board");
  report.judgement.remedies = {{"move", "Move the card", {}, "", ""}};
  auto yes = unmet(report, ModeState::yes, kNothing, ExitCode::ok);
  auto no = unmet(report, ModeState::no, kNothing, ExitCode::no);
  no.remedies = {"move"};
  auto limited = unmet(report, ModeState::degraded, kNothing, ExitCode::degraded);
  auto unknown = unmet(report, ModeState::unknown, ModeState::yes, ExitCode::unknown);
  auto hung = unmet(report, ModeState::no, kNothing, ExitCode::hung);
  hung.hung = true;
  auto accepted = unmet(report, ModeState::unknown, ModeState::yes, ExitCode::ok);
  accepted.accepted = true;
  pugi::xml_document document;
  const std::string xml = render_junit(report, verdict_of({yes, no, limited, unknown, hung, accepted}));
  REQUIRE(document.load_string(xml.c_str()));
  const auto suite = document.child("testsuites").child("testsuite");
  CHECK(std::string(suite.attribute("name").value()) == "A board");
  CHECK(suite.attribute("tests").as_int() == 6);
  CHECK(suite.attribute("failures").as_int() == 3);
  CHECK(suite.attribute("errors").as_int() == 1);
  CHECK(suite.attribute("skipped").as_int() == 0);
  std::vector<std::string> got;
  for (const auto& entry : suite.children("testcase")) {
    CHECK(std::string(entry.attribute("classname").value()) == "03:00.0 and 0b:00.0");
    const auto child = entry.first_child();
    got.push_back(std::string(child.name()) + " " + child.attribute("type").value());
  }
  CHECK(got == std::vector<std::string>{" ", "failure no", "failure degraded", "failure unknown", "error hung",
                                        "system-out "});
  CHECK(has(xml, "What would change it: Move the card."));
  CHECK(has(xml, "<system-out>expected, unproven\n"));
}

TEST_CASE("JUnit is well-formed whatever the texts hold") {
  Report report = test::blocked_board();
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  every += "<a b=\"c\">&amp;]]>--><![CDATA[ \xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80\xe2\x80\xae";
  report.topology.host.board = every;
  auto no = unmet(report, ModeState::no, kNothing, ExitCode::no);
  no.why = every;
  no.requirement.mode = every;
  auto accepted = no;
  accepted.exit_code = ExitCode::ok;
  accepted.accepted = true;
  const std::string xml = render_junit(report, verdict_of({no, accepted}));
  pugi::xml_document document;
  CHECK(document.load_string(xml.c_str(), pugi::parse_full));
  for (const char c : xml) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  CHECK_FALSE(has(xml, "\xef\xbf\xbe"));
  CHECK_FALSE(has(xml, "\xef\xbf\xbf"));
  CHECK(has(xml, "&lt;a b=&quot;c&quot;&gt;&amp;amp;]]&gt;"));
}
