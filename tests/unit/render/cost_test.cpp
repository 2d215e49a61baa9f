#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "render/render.hpp"
#include "render/reports.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

CostEstimate estimate(const Report& report, const std::string& mode) {
  CostEstimate e;
  e.model = "qwen3-8b";
  e.mode = mode;
  e.set = report.judgement.sets.at(0).gpus;
  e.prompt = 2048;
  e.parts = {{"all-reduce", 73, 8192, 1.479}};
  e.calls_per_step = 73;
  e.bytes_per_step = 598016;
  e.prefill_calls = 73;
  e.prefill_bytes = 1.22e9;
  e.alpha_us = 20;
  e.alpha_from = "typical of RCCL";
  e.alpha_source = "published by somebody";
  e.beta_gbytes_per_s = 31.5;
  e.beta_from = "what the slowest link can carry at best";
  e.decode_ms = 1.479;
  e.prefill_ms = 40.2;
  e.one_gpu_ms = 25.6;
  e.step_ms = 14.3;
  e.share = 0.103;
  e.fits_one_gpu = true;
  e.fits_set = true;
  e.splits_evenly = true;
  e.beats_one_gpu = Tri::yes;
  e.why = "14.3 ms against 25.6 ms on one GPU";
  return e;
}

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("costs in text: a line a mode, what it rests on, marked as an estimate, 80 columns") {
  auto report = clean_board();
  CHECK_FALSE(says(render_text(report, {}), "What sharing would cost"));
  report.judgement.costs = {estimate(report, "tensor"), estimate(report, "layer-split")};
  report.judgement.costs[1].alpha_us = Known<double>::unknown(Reason::not_probed);
  report.judgement.costs[1].alpha_from = "no figure is published";
  report.judgement.costs[1].decode_ms = Known<double>::unknown(Reason::not_probed);
  report.judgement.costs[1].beats_one_gpu = Tri::unknown;
  const auto text = render_text(report, {});
  CHECK(says(text, "What sharing would cost (estimate)"));
  CHECK(says(text, "qwen3-8b, batch 1, prompts of 2048 tokens."));
  CHECK(says(text, "tensor                   73     0.60    1.48    10 %   40.2    expected"));
  CHECK(says(text, "layer-split              73     0.60    ?       10 %   40.2    open"));
  CHECK(says(text, "20.0 us     tensor: typical of RCCL"));
  CHECK(says(text, "?           layer-split: no figure is published"));
  CHECK(says(text, "31.5 GB/s   what the slowest link can carry at best"));
  CHECK_FALSE(says(text, "published by somebody"));
  TextOptions verbose;
  verbose.verbose = true;
  CHECK(says(render_text(report, verbose), "published by somebody"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);

  // The price of what is not expected to work says so.
  for (auto& mode : report.judgement.modes) {
    if (mode.id == "tensor") mode.state = ModeState::unknown;
    if (mode.id == "tensor") mode.expected = ModeState::no;
  }
  CHECK(says(render_text(report, {}), "Not expected to work here at all: tensor."));
  CHECK_FALSE(says(text, "Not expected to work here at all"));

  // What cannot work here is named instead of priced.
  for (auto& mode : report.judgement.modes) {
    if (mode.id == "tensor") mode.state = ModeState::no;
  }
  CHECK(says(render_text(report, {}), "Left out, because it cannot work here: tensor."));
  // Both terms measured for all that is shown: no estimate any more.
  report.judgement.costs.erase(report.judgement.costs.begin());
  report.judgement.costs[0].alpha_basis = report.judgement.costs[0].beta_basis = CostBasis::measured;
  CHECK_FALSE(says(render_text(report, {}), "(estimate)"));
}

TEST_CASE("costs in JSON: every number, null for what is unknown or does not apply") {
  auto report = clean_board();
  CHECK(nlohmann::json::parse(render_json(report))["costs"].empty());
  report.judgement.costs = {estimate(report, "tensor")};
  report.judgement.costs[0].one_gpu_ms = Known<double>::absent();
  report.judgement.costs[0].splits_evenly = Known<bool>::absent();
  const auto cost = nlohmann::json::parse(render_json(report))["costs"][0];
  CHECK(cost["mode"] == "tensor");
  CHECK(cost["estimate"] == true);
  CHECK(cost["calls_per_step"] == 73);
  CHECK(cost["parts"][0]["bytes_per_call"] == 8192);
  CHECK(cost["alpha_basis"] == "typical");
  CHECK(cost["alpha_source"] == "published by somebody");
  CHECK(cost["beta_basis"] == "ceiling");
  CHECK(cost["decode_ms"] == 1.479);
  CHECK(cost["one_gpu_ms"].is_null());
  CHECK(cost["splits_evenly"].is_null());
  CHECK(cost["beats_one_gpu"] == "yes");
}
