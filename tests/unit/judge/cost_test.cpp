#include "judge/cost.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "judge/cost_memory.hpp"
#include "judge/machine.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

constexpr double kTolerance = 0.02;  // of the published figure: they are rounded to two or three digits

/// Within 2 % of `value`, or within half of its last digit where that is more (`0.05`).
bool about(double computed, double value, double last_digit = 0) {
  return std::abs(computed - value) <= std::max(kTolerance * std::abs(value), last_digit / 2);
}

Workload work_of(const std::string& text, unsigned batch = 1, unsigned prompt = 2048) {
  auto model = model_of(text, builtin_rules());
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? std::string() : model.error().what));
  return {model.value(), batch, prompt};
}

/// GPUs of a kind, all on CPU ports of `rate` GB/s each.
Machine cards(const std::string& vendor, const std::string& device, int count, double rate) {
  Machine m;
  for (int i = 1; i <= count; ++i) {
    const auto gpu = fmt::format("{:02x}:00.0", i);
    m.gpu(vendor, gpu).set(gpu, "link.ceiling", rate).set(gpu, "gpu.device", device);
  }
  return m.every_pair("fabric.direct", false).every_pair("p2p.ceiling", rate);
}

Machine& measured(Machine& m, double us, double rate) {
  for (const auto& [id, value] : {std::pair{"ccl.latency", us}, std::pair{"ccl.bandwidth", rate}}) {
    Fact fact;
    fact.id = id;
    fact.subject = {SubjectKind::set, m.gpus()};
    fact.value = FactValue(value);
    fact.tier = Tier::probed;
    m.facts.push_back(fact);
  }
  return m;
}

/// `link.shared` and `link.best` of a link above some of the GPUs.
Machine& shared_link(Machine& m, const std::vector<std::string>& gpus, double rate) {
  Fact fact;
  fact.id = "link.shared";
  fact.subject = {SubjectKind::link, {at("00:01.0"), at("40:00.0")}};
  fact.value = FactValue(static_cast<double>(gpus.size()));
  for (const auto& gpu : gpus) fact.at.push_back(at(gpu));
  m.facts.push_back(fact);
  fact.id = "link.best";
  fact.value = FactValue(rate);
  fact.at.clear();
  m.facts.push_back(fact);
  return m;
}

CostEstimate cost(const Machine& m, std::string_view mode, const Workload& work) {
  for (auto& e : estimate_costs(m.facts, builtin_rules(), m.gpus(), work)) {
    if (e.mode == mode) return e;
  }
  FAIL("no estimate of ", mode);
  return {};
}

const CostPart& part(const CostEstimate& e, std::string_view what) {
  for (const auto& p : e.parts) {
    if (p.what == what) return p;
  }
  FAIL("no ", what);
  static const CostPart none;
  return none;
}

bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

struct Row {
  const char* model;
  double calls;
  double kib;   // of an all-reduce at batch 1
  double mb1;   // of all in a step, batch 1
  double mb4;   // batch 4
  double ms8;   // batch 4, bytes alone, at 7.9 GB/s
  double ms32;  // the same at 31.5
  double fast;  // with 10 us at 31.5
  double slow;  // with 42 us at 28.6
};

constexpr Row kTable[] = {
    {"llama-3.1-8b", 65, 8, 0.53, 2.13, 0.27, 0.07, 0.72, 2.80},
    {"gemma-3-27b", 125, 10.5, 1.34, 5.38, 0.68, 0.17, 1.42, 5.44},
    {"qwen3.8-27b", 129, 10, 1.32, 5.28, 0.67, 0.17, 1.46, 5.60},
    {"llama-3.3-70b", 161, 16, 2.64, 10.6, 1.34, 0.34, 1.94, 7.13},
    {"qwen3-30b-a3b", 97, 4, 0.40, 1.59, 0.20, 0.05, 1.02, 4.13},
    {"gpt-oss-120b", 73, 5.6, 0.42, 1.68, 0.21, 0.05, 0.78, 3.12},
    {"deepseek-v4-flash", 87, 8, 0.71, 2.85, 0.36, 0.09, 0.96, 3.75},
    {"deepseek-v3", 123, 14, 1.76, 7.05, 0.89, 0.22, 1.45, 5.41},
};

}  // namespace

TEST_CASE("the computed table of all-reduces over two GPUs, within 2 % or half a digit") {
  auto fast = cards("amd", "1002:7551", 2, 31.5);
  measured(fast, 10, 31.5);
  auto slow = cards("amd", "1002:7551", 2, 28.6);
  measured(slow, 42, 28.6);
  for (const Row& row : kTable) {
    CAPTURE(row.model);
    const auto one = part(cost(fast, "tensor", work_of(row.model, 1)), "all-reduce");
    CHECK(one.calls == row.calls);
    CHECK(about(one.bytes_per_call / 1024, row.kib, 0.1));
    CHECK(about(one.calls * one.bytes_per_call / 1e6, row.mb1, 0.01));
    const auto four = part(cost(fast, "tensor", work_of(row.model, 4)), "all-reduce");
    const double mb = four.calls * four.bytes_per_call / 1e6;
    CHECK(about(mb, row.mb4, 0.01));
    CHECK(about(mb / 7.9, row.ms8, 0.01));
    CHECK(about(mb / 31.5, row.ms32, 0.01));
    CHECK(about(four.ms.value(), row.fast, 0.01));
    CHECK(about(part(cost(slow, "tensor", work_of(row.model, 4)), "all-reduce").ms.value(), row.slow, 0.01));
  }
}

TEST_CASE("two Arc Pro B70 with oneCCL: 129 collectives, 1.29 MB, 42 us, and slower than one, as published") {
  const auto m = cards("intel", "8086:e223", 2, 28.6);
  const auto e = cost(m, "tensor", work_of("qwen3.8-27b,bytes_per_weight=0.5"));
  const auto reduce = part(e, "all-reduce");
  CHECK(reduce.calls == 129);
  CHECK(std::abs(reduce.calls * reduce.bytes_per_call / 1e6 - 1.29) < 0.04);  // published with what it was measured by
  CHECK(e.alpha_us.is(42));
  CHECK(e.alpha_basis == CostBasis::typical);
  CHECK(says(e.alpha_from, "oneCCL"));
  CHECK(says(e.alpha_source, "vllm#54766"));
  CHECK(e.beta_gbytes_per_s.is(28.6));
  CHECK(e.beta_basis == CostBasis::ceiling);
  CHECK(about(reduce.bytes_per_call * 129 / 28.6e9 * 1e6, 45, 4));  // us on the wire for a token
  CHECK(e.fits_one_gpu.is(true));
  CHECK(e.beats_one_gpu == Tri::no);
  CHECK(says(e.why, "61 %"));
  // A large batch is not decided by that.
  CHECK(cost(m, "tensor", work_of("qwen3.8-27b,bytes_per_weight=0.5", 64)).beats_one_gpu == Tri::unknown);
}

TEST_CASE("the first seed's arithmetic, corrected: 86 KB a layer, 0.68 ms at x4, 0.17 at x16, 2.7 at x1") {
  for (const auto& [rate, ms] : {std::pair{7.9, 0.68}, std::pair{31.5, 0.17}, std::pair{1.97, 2.7}}) {
    auto m = cards("amd", "1002:7551", 2, rate);
    measured(m, 20, rate);
    const auto reduce = part(cost(m, "tensor", work_of("gemma-3-27b", 4)), "all-reduce");
    CHECK(about(2 * reduce.bytes_per_call / 1e3, 86, 1));
    CHECK(about(reduce.ms.value() - 125 * 0.020, ms, 0.1));
    CHECK(about(125 * 0.020, 2.5));
  }
  // llama.cpp passes float32 on: 172 KB a layer, 10.7 MB a step.
  const auto m = cards("nvidia", "10de:2204", 2, 31.5);
  const auto staged = cost(m, "tensor-host-staged", work_of("gemma-3-27b", 4));
  CHECK(about(2 * staged.parts.at(0).bytes_per_call / 1e3, 172, 1));
  CHECK(about(staged.bytes_per_step / 1e6, 10.7, 0.1));
  // From 32768 values on in 16 bits.
  CHECK(cost(m, "tensor-host-staged", work_of("gemma-3-27b", 7)).parts.at(0).bytes_per_call == 7 * 5376 * 2);
}

TEST_CASE("the prompt is where the link shows: 2.75 GB, 0.09 s at x16, 0.35 at x4, 1.4 at x1") {
  for (const auto& [rate, seconds] : {std::pair{31.5, 0.09}, std::pair{7.9, 0.35}, std::pair{1.97, 1.4}}) {
    auto m = cards("amd", "1002:7551", 2, rate);
    measured(m, 0.001, rate);
    const auto e = cost(m, "tensor", work_of("gemma-3-27b"));
    CHECK(about(e.prefill_bytes.value() / 1e9, 2.75, 0.01));
    CHECK(about(e.prefill_ms.value() / 1e3, seconds, 0.01));
  }
}

TEST_CASE("the second seed: 86 crossed collectives a step, with indices beside the activations") {
  const auto e = cost(cards("intel", "8086:e223", 4, 28.6), "expert-dp", work_of("deepseek-v4-flash"));
  const auto gather = part(e, "all-gather");
  const auto scatter = part(e, "reduce-scatter");
  CHECK(gather.calls + scatter.calls == 86);
  CHECK(gather.bytes_per_call == 3 * (4096 * 2 + 8 * 6));
  CHECK(scatter.bytes_per_call == 3 * 4096 * 2);
  // 2.5 tokens a second are 4.6 ms for each: far from what the links ask for.
  CHECK(about(400.0 / 86, 4.6, 0.1));
  CHECK(gather.bytes_per_call / 28.6e9 < 1e-6);
}

TEST_CASE("stages and layers: 21.5 KB for a token, 44 MB for a prompt, and no step shorter than on one GPU") {
  const auto m = cards("nvidia", "10de:2bb1", 2, 31.5);
  const auto stages = cost(m, "pipeline", work_of("gemma-3-27b"));
  CHECK(about(part(stages, "send and receive").bytes_per_call / 1e3, 21.5));
  CHECK(part(stages, "broadcast").calls == 2);
  CHECK(about(stages.prefill_bytes.value() / 1e6, 44));
  const auto layers = cost(m, "layer-split", work_of("gemma-3-27b"));
  CHECK(about(layers.bytes_per_step / 1e3, 21.5));
  CHECK(layers.calls_per_step == 1);
  CHECK(layers.prefill_calls.is(4));  // 2048 tokens in pieces of 512
  CHECK(layers.fits_one_gpu.is(true));
  CHECK(layers.beats_one_gpu == Tri::no);
  CHECK(stages.beats_one_gpu == Tri::no);
  // With four stages the copies follow each other, while a GPU sends only its own.
  const auto four = cost(cards("nvidia", "10de:2bb1", 4, 31.5), "layer-split", work_of("gemma-3-27b"));
  CHECK(four.calls_per_step == 3);
  CHECK(four.bytes_per_step == layers.bytes_per_step);
}

TEST_CASE("more GPUs: a ring moves 2(N-1)/N of a message, one shot N-1 of it, and the logits (N-1)/N") {
  const auto m = cards("nvidia", "10de:2330", 4, 63.0);
  const auto work = work_of("llama-3.1-8b", 4);
  CHECK(part(cost(m, "tensor", work), "all-reduce").bytes_per_call == 1.5 * 4 * 4096 * 2);
  CHECK(part(cost(m, "tensor-custom-allreduce", work), "all-reduce").bytes_per_call == 3 * 4 * 4096 * 2);
  CHECK(part(cost(m, "tensor", work), "all-gather of the logits").bytes_per_call == 0.75 * 4 * 128256 * 2);
  // "1 MB for a batch of 4 and 262 k words", over two
  const auto two = cost(cards("nvidia", "10de:2330", 2, 63.0), "tensor", work_of("gemma-3-27b", 4));
  CHECK(about(part(two, "all-gather of the logits").bytes_per_call / 1e6, 1, 0.1));
}

TEST_CASE("the cache of a prompt: growing layers, windows, a latent cache, and one that is not known") {
  CHECK(cache_bytes(work_of("llama-3.1-8b").model, 1).is(2 * 32 * 8 * 128 * 2));
  CHECK(cache_bytes(work_of("qwen3.8-27b").model, 100).is(100.0 * 2 * 16 * 4 * 256 * 2));
  CHECK(cache_bytes(work_of("gemma-3-27b").model, 2048).is((10.0 * 2048 + 52 * 1024) * 2 * 16 * 128 * 2));
  CHECK(cache_bytes(work_of("deepseek-v3").model, 10).is(10.0 * 61 * 576 * 2));
  CHECK(cache_bytes(work_of("deepseek-v4-flash").model, 10).is_unknown());
  const auto m = cards("nvidia", "10de:2330", 2, 63.0);
  const auto known = cost(m, "prefill-decode", work_of("llama-3.1-8b"));
  CHECK(known.prefill_bytes.is(2048.0 * 2 * 32 * 8 * 128 * 2));
  CHECK(about(known.prefill_ms.value(), 2048.0 * 131072 / 63e6, 0.1));
  CHECK(known.decode_ms.is(0));
  const auto unknown = cost(m, "prefill-decode", work_of("deepseek-v4-flash"));
  CHECK(unknown.prefill_bytes.is_unknown());
  CHECK(unknown.prefill_ms.is_unknown());
}

TEST_CASE("tensor parallelism beats one GPU where it halves the reading and the rest is small") {
  const auto e = cost(cards("amd", "1002:7551", 2, 31.5), "tensor", work_of("qwen3-8b"));
  CHECK(about(e.one_gpu_ms.value(), 16.4 / 0.640));
  CHECK(about(e.decode_ms.value(), 74 * 0.020, 0.1));
  CHECK(about(e.step_ms.value(), 16.4 / 2 / 0.640 + e.decode_ms.value()));
  CHECK(about(e.share.value(), e.decode_ms.value() / e.step_ms.value()));
  CHECK(e.splits_evenly.is(true));
  CHECK(e.fits_one_gpu.is(true));
  CHECK(e.beats_one_gpu == Tri::yes);
  CHECK(says(e.why, "expected to take"));
  CHECK_FALSE(says(e.why, "works"));
  // A small model on a fast card: the operations take longer than the weights.
  const auto small = cost(cards("nvidia", "10de:2330", 2, 63.0), "tensor",
                          work_of("hidden=1024,layers=28,heads=16,kv_heads=8,head_dim=128,parameters=0.6"));
  CHECK(small.beats_one_gpu == Tri::no);
  // One GPU's step within a tenth is too close to tell.
  auto close = cards("amd", "1002:7551", 2, 31.5);
  measured(close, 165, 31.5);
  CHECK(cost(close, "tensor", work_of("qwen3-8b")).beats_one_gpu == Tri::no);  // holds up the step
  auto near = cards("amd", "1002:7551", 2, 0.05);
  measured(near, 10, 0.06);
  CHECK(cost(near, "tensor", work_of("qwen3-8b")).beats_one_gpu == Tri::unknown);
}

TEST_CASE("what does not fit on one GPU has nothing to be compared with, and that is said") {
  const auto m = cards("amd", "1002:7551", 2, 31.5);
  const auto e = cost(m, "tensor", work_of("qwen3.8-27b"));
  CHECK(e.fits_one_gpu.is(false));
  CHECK(e.fits_set.is(true));
  CHECK(e.one_gpu_ms.is_absent());
  CHECK(e.beats_one_gpu == Tri::unknown);
  CHECK(says(e.why, "does not fit on one GPU"));
  CHECK(says(e.why, "expected to fit on the 2 together"));
  CHECK(e.share.is_known());
  const auto too_large = cost(m, "tensor", work_of("llama-3.3-70b"));
  CHECK(too_large.fits_set.is(false));
  CHECK(says(too_large.why, "nor is it expected to fit"));
  // Of a cache of one key-value head every GPU of the group keeps all.
  const auto shape = std::string("hidden=4096,layers=32,heads=32,head_dim=128,parameters=8,kv_heads=");
  const auto needs = [&](const char* heads) { return bytes_needed(work_of(shape + heads, 16, 100000), "tensor", 2); };
  CHECK(about(needs("2").value(), 8e9 * 1.05 + 16 * 100000.0 * 2 * 32 * 2 * 128 * 2 / 2 + 1.5 * 1073741824.0));
  CHECK(needs("1").value() == needs("2").value());
}

TEST_CASE("heads that cannot be spread evenly are no matter of cost") {
  const auto e = cost(cards("amd", "1002:7551", 3, 31.5), "tensor", work_of("qwen3-8b"));
  CHECK(e.splits_evenly.is(false));
  CHECK(e.beats_one_gpu == Tri::no);
  CHECK(says(e.why, "32 attention heads cannot be spread evenly over 3 GPUs; over 2 of them they can"));
  const auto layers = cost(cards("amd", "1002:7551", 3, 31.5), "layer-split", work_of("qwen3-8b"));
  CHECK(layers.splits_evenly.is_absent());
  const auto unsaid = cost(cards("amd", "1002:7551", 2, 31.5), "tensor",
                           work_of("hidden=4096,layers=36,kv_heads=8,head_dim=128,parameters=8"));
  CHECK(unsaid.splits_evenly.is_unknown());
  CHECK(unsaid.beats_one_gpu == Tri::unknown);
  CHECK(says(unsaid.why, "heads="));
}

TEST_CASE("what is not known stays unknown, and is named") {
  auto m = cards("amd", "1002:7551", 2, 31.5);
  m.unknown("02:00.0", "link.ceiling", Reason::vm);
  m.every_pair("p2p.ceiling", std::string("damaged"));
  const auto link = cost(m, "tensor", work_of("qwen3-8b"));
  CHECK(link.beta_gbytes_per_s.is_unknown());
  CHECK(link.decode_ms.is_unknown());
  CHECK(link.beats_one_gpu == Tri::unknown);
  CHECK(says(link.why, "the rate between the GPUs"));
  const auto card = cost(cards("amd", "1002:ffff", 2, 31.5), "tensor", work_of("qwen3-8b"));
  CHECK(card.decode_ms.is_known());
  CHECK(card.one_gpu_ms.is_unknown());
  CHECK(card.beats_one_gpu == Tri::unknown);
  CHECK(says(card.why, "how fast these GPUs read their memory"));
  const auto stack = cost(cards("intel", "8086:e223", 2, 28.6), "tensor-custom-allreduce", work_of("qwen3-8b"));
  CHECK(stack.alpha_us.is_unknown());
  CHECK(stack.decode_ms.is_unknown());
  CHECK(stack.beta_gbytes_per_s.is_known());
  const auto shape = cost(cards("amd", "1002:7551", 2, 31.5), "tensor", work_of("hidden=4096,layers=36"));
  CHECK(says(shape.why, "parameters="));
  CHECK(says(shape.why, "kv_heads= and head_dim="));
}

TEST_CASE("cards that share a device id are told apart by their memory") {
  auto m = cards("amd", "1002:744c", 2, 31.5);
  CHECK(cost(m, "tensor", work_of("qwen3-8b")).one_gpu_ms.is_unknown());
  for (const char* gpu : {"01:00.0", "02:00.0"}) m.set(gpu, "gpu.memory", 25753026560.0, Tier::queried);
  CHECK(about(cost(m, "tensor", work_of("qwen3-8b")).one_gpu_ms.value(), 16.4 / 0.960));
  for (const char* gpu : {"01:00.0", "02:00.0"}) m.set(gpu, "gpu.memory", 21458059264.0, Tier::queried);
  CHECK(about(cost(m, "tensor", work_of("qwen3-8b")).one_gpu_ms.value(), 16.4 / 0.800));
}

TEST_CASE("of unequal cards the slower one sets the pace of all, and the better one is what they are compared with") {
  auto m = cards("nvidia", "10de:2204", 2, 31.5);
  m.set("02:00.0", "gpu.device", std::string("10de:2b85"));
  const auto e = cost(m, "tensor", work_of("qwen3-8b"));
  CHECK(about(e.one_gpu_ms.value(), 16.4 / 1.792));
  CHECK(about(e.step_ms.value() - e.decode_ms.value(), 16.4 / 2 / 0.936));
}

TEST_CASE("experts: a step reads those that its tokens choose, and only they are spread by expert-dp") {
  const auto work = work_of("qwen3-30b-a3b,bytes_per_weight=1");
  CHECK(about(weights_read(work, {}, 1).value(), 3.3e9));
  CHECK(about(weights_read(work_of("qwen3-30b-a3b,bytes_per_weight=1", 4096), {}, 1).value(), 30.5e9));
  const double experts = (30.5e9 - 3.3e9) / (1 - 8.0 / 128);
  CHECK(about(weights_read(work, "expert-dp", 4).value(), 30.5e9 - experts + experts * 8 / 128 / 4));
  const auto m = cards("nvidia", "10de:2330", 2, 63.0);
  CHECK(cost(m, "expert", work).bytes_per_step == cost(m, "tensor", work).bytes_per_step);
  for (const auto& e : estimate_costs(m.facts, builtin_rules(), m.gpus(), work_of("qwen3-8b"))) {
    CHECK(e.mode != "expert");
    CHECK(e.mode != "expert-dp");
  }
}

TEST_CASE("measured figures take the place of typical ones, for what they were measured of") {
  auto m = cards("nvidia", "10de:2335", 2, 63.0);
  measured(m, 7.5, 299);
  const auto e = cost(m, "tensor", work_of("llama-3.3-70b"));
  CHECK(e.alpha_us.is(7.5));
  CHECK(e.beta_gbytes_per_s.is(299));
  CHECK(e.measured());
  CHECK(cost(m, "tensor-custom-allreduce", work_of("llama-3.3-70b")).alpha_basis == CostBasis::typical);
  CHECK_FALSE(cost(m, "layer-split", work_of("llama-3.3-70b")).measured());
}

TEST_CASE("a direct fabric gives the rate and the stack; where it is not known PCI Express is taken, and said") {
  auto m = cards("nvidia", "10de:2330", 2, 63.0);
  m.every_pair("fabric.direct", true).every_pair("p2p.ceiling", 450.0);
  const auto fabric = cost(m, "tensor", work_of("qwen3-8b"));
  CHECK(fabric.beta_gbytes_per_s.is(450));
  CHECK(fabric.alpha_us.is(9));
  CHECK(says(fabric.alpha_from, "NVLink"));
  CHECK(cost(m, "tensor-host-staged", work_of("qwen3-8b")).beta_gbytes_per_s.is(63));
  auto unseen = cards("nvidia", "10de:2330", 2, 63.0);
  std::erase_if(unseen.facts, [](const Fact& f) { return f.id == "fabric.direct"; });
  const auto pcie = cost(unseen, "tensor", work_of("qwen3-8b"));
  CHECK(pcie.beta_gbytes_per_s.is(63));
  CHECK(pcie.alpha_us.is(27));
  CHECK(says(pcie.beta_from, "whether NVLink joins the GPUs is not known"));
  // RCCL over xGMI is published nowhere; PCI Express is the worst it can be.
  auto xgmi = cards("amd", "1002:740f", 2, 31.5);
  xgmi.every_pair("fabric.direct", true).every_pair("p2p.ceiling", 50.0);
  CHECK(says(cost(xgmi, "tensor", work_of("qwen3-8b")).alpha_from, "which a direct fabric should better"));
}

TEST_CASE("GPUs below one link share its rate, except in a ring that passes data on below it") {
  const auto work = work_of("qwen3-8b");
  auto m = cards("amd", "1002:740f", 4, 31.5);
  shared_link(m, {"01:00.0", "02:00.0"}, 31.5);
  CHECK(cost(m, "tensor", work).beta_gbytes_per_s.is(15.75));
  CHECK(says(cost(m, "tensor", work).beta_from, "shared by 2 GPUs"));
  CHECK(cost(m, "layer-split", work).beta_gbytes_per_s.is(31.5));  // one copy at a time
  m.pair("01:00.0", "02:00.0", "p2p.expected", std::string("likely"));
  m.pair("02:00.0", "01:00.0", "p2p.expected", std::string("likely"));
  CHECK(cost(m, "tensor", work).beta_gbytes_per_s.is(31.5));
  CHECK(cost(m, "tensor-custom-allreduce", work).beta_gbytes_per_s.is(15.75));
  CHECK(cost(m, "tensor-host-staged", work).beta_gbytes_per_s.is(15.75));
  // A probe's word counts more than what was expected.
  m.pair("01:00.0", "02:00.0", "p2p.write", false, Tier::probed);
  CHECK(cost(m, "tensor", work).beta_gbytes_per_s.is(15.75));
  // All below one switch: the ring never leaves it.
  auto below = cards("amd", "1002:740f", 2, 7.9);
  shared_link(below, {"01:00.0", "02:00.0"}, 7.9);
  below.every_pair("p2p.expected", std::string("likely")).every_pair("p2p.ceiling", 31.5);
  CHECK(cost(below, "tensor", work).beta_gbytes_per_s.is(31.5));
}

TEST_CASE("fewer than two GPUs share nothing") {
  const auto m = cards("amd", "1002:7551", 1, 31.5);
  CHECK(estimate_costs(m.facts, builtin_rules(), m.gpus(), work_of("qwen3-8b")).empty());
  CHECK(estimate_costs({}, builtin_rules(), {}, work_of("qwen3-8b")).empty());
}

TEST_CASE("models are named by preset, preset with changes, or shape") {
  CHECK(work_of("qwen3-8b").model.id == "qwen3-8b");
  const auto changed = work_of("qwen3-8b,bytes_per_weight=0.5,layers=40").model;
  CHECK(changed.id == "qwen3-8b,bytes_per_weight=0.5,layers=40");
  CHECK(changed.hidden == 4096);
  CHECK(changed.layers == 40);
  CHECK(changed.bytes_per_weight == 0.5);
  const auto shape = work_of("hidden=5120,layers=64,parameters=27").model;
  CHECK(shape.id == "custom");
  CHECK(shape.active_billion == 27);
  CHECK(shape.bytes_per_weight == 2);
  CHECK(work_of("hidden=2048,layers=48,experts=128,experts_per_token=8").model.moe_layers == 48);
}

TEST_CASE("what is wrong with a model's name is said, with the nearest right one") {
  const auto refused = [](const std::string& text) {
    const auto model = model_of(text, builtin_rules());
    REQUIRE_MESSAGE(!model.ok(), text);
    CHECK(model.error().code == ExitCode::usage);
    return model.error().what + "\n" + model.error().next;
  };
  CHECK(says(refused("qwen3-8"), "did you mean qwen3-8b"));
  CHECK(says(refused("list"), "the presets are llama-3.1-8b, "));
  CHECK(says(refused("hiden=5120,layers=64"), "did you mean hidden"));
  CHECK(says(refused("hidden=0,layers=64"), "hidden=0 is no whole number from 1 to 1000000"));
  CHECK(says(refused("hidden=5120,layers=-1"), "layers=-1 is no whole number"));
  CHECK(says(refused("hidden=5120.5,layers=64"), "hidden=5120.5"));
  CHECK(says(refused("hidden=nan,layers=64"), "hidden=nan"));
  CHECK(says(refused("hidden=,layers=64"), "hidden="));
  CHECK(says(refused("hidden=5120,layers=64,"), "after the last comma"));
  CHECK(says(refused("hidden=5120,64"), "'64' is no KEY=NUMBER"));
  CHECK(says(refused("hidden=5120"), "needs hidden and layers"));
  CHECK(says(refused(""), "no model preset ''"));
  CHECK(says(refused("qwen3-8b,bytes_per_weight=0"), "from 0.1 to 8"));
  CHECK(says(refused("qwen3-8b,experts=8"), "needs experts_per_token"));
  CHECK(says(refused("qwen3-8b,experts=8,experts_per_token=9"), "more than experts=8"));
  CHECK(says(refused("qwen3-30b-a3b,active=31"), "active=31 is more than parameters=30.5"));
  CHECK(says(refused("qwen3-30b-a3b,moe_layers=49"), "more than layers=48"));
  CHECK(says(refused("qwen3-8b,kv_heads=33"), "more than heads=32"));
  CHECK(says(refused(std::string(2000, 'x')), "longer than"));
}

TEST_CASE("every preset can be used, and names where it comes from") {
  REQUIRE(builtin_rules().models.size() >= 10);
  const auto m = cards("nvidia", "10de:2335", 8, 63.0);
  for (const auto& model : builtin_rules().models) {
    CAPTURE(model.id);
    CHECK_FALSE(model.source.empty());
    const auto all = estimate_costs(m.facts, builtin_rules(), m.gpus(), work_of(model.id, 3));
    CHECK(all.size() == (model.experts == 0 ? 6 : 8));
    for (const auto& e : all) {
      CAPTURE(e.mode);
      CHECK_FALSE(e.why.empty());
      CHECK_FALSE(e.splits_evenly.is(false));
      if (e.step_ms.is_known()) CHECK(e.step_ms.value() > e.decode_ms.value());
    }
  }
}
