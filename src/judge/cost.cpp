#include "judge/cost.hpp"

#include <algorithm>

#include "judge/cost_memory.hpp"
#include "judge/cost_path.hpp"
#include "judge/cost_traffic.hpp"
#include "judge/cost_words.hpp"

namespace gpucoop {

namespace {

constexpr double kMicro = 1e-3;       // microseconds in milliseconds
constexpr double kGigabyteMs = 1e-6;  // milliseconds that a byte takes at 1 GB/s

Known<double> time_of(double calls, double bytes, const CostTerm& alpha, const CostTerm& beta) {
  if (calls == 0) return 0.0;
  return alpha.value.and_then([&](double us) {
    return beta.value.and_then([&](double rate) {
      return rate > 0 ? Known<double>(calls * us * kMicro + bytes * kGigabyteMs / rate)
                      : Known<double>::unknown(Reason::not_derivable);
    });
  });
}

void add_step(CostEstimate& e, const Traffic& traffic, const CostTerm& alpha, const CostTerm& beta) {
  double bytes = 0;  // on the way one after the other
  for (const auto& t : traffic.step) {
    e.parts.push_back({t.what, t.calls, t.bytes, time_of(t.calls, t.calls * t.bytes, alpha, beta)});
    e.calls_per_step += t.calls;
    e.bytes_per_step += t.own * t.bytes;
    bytes += t.calls * t.bytes;
  }
  e.decode_ms = time_of(e.calls_per_step, bytes, alpha, beta);
}

void add_prefill(CostEstimate& e, const Traffic& traffic, const CostTerm& alpha, const CostTerm& beta) {
  if (!traffic.prefill_known) {
    e.prefill_calls = e.prefill_bytes = e.prefill_ms = Known<double>::unknown(Reason::not_in_input);
    return;
  }
  double calls = 0;
  double own = 0;
  double bytes = 0;
  for (const auto& t : traffic.prefill) {
    calls += t.calls;
    own += t.own * t.bytes;
    bytes += t.calls * t.bytes;
  }
  e.prefill_calls = calls;
  e.prefill_bytes = own;
  e.prefill_ms = time_of(calls, bytes, alpha, beta);
}

Known<double> reading(const Known<double>& bytes, const Known<double>& gbytes_per_s) {
  return bytes.and_then([&](double b) {
    return gbytes_per_s.and_then([&](double rate) { return Known<double>(b * kGigabyteMs / rate); });
  });
}

/// The weights are read in one piece or, where stages take turns, piece by piece: the same time.
unsigned readers(const CostEstimate& e) {
  const bool together = cuts_layers(e.mode) || e.mode == "expert-dp";
  return together ? static_cast<unsigned>(e.set.size()) : 1;
}

/// How many ways the weights are spread.
unsigned holders(const CostEstimate& e) { return e.mode == "prefill-decode" ? 1 : static_cast<unsigned>(e.set.size()); }

void add_step_time(CostEstimate& e, const Workload& work, const SetMemory& memory) {
  e.fits_one_gpu = fits(work, {}, 1, memory.most_bytes);
  e.fits_set = fits(work, e.mode, holders(e), memory.least_bytes);
  e.one_gpu_ms =
      e.fits_one_gpu.is(false) ? Known<double>::absent() : reading(weights_read(work, {}, 1), memory.most_gbytes_per_s);
  const auto read = reading(weights_read(work, e.mode, readers(e)), memory.least_gbytes_per_s);
  e.step_ms = read.and_then([&](double ms) {
    return e.decode_ms.and_then([&](double communication) { return Known<double>(ms + communication); });
  });
  e.share = e.step_ms.and_then([&](double ms) {
    return ms > 0 ? Known<double>(e.decode_ms.value() / ms) : Known<double>::unknown(Reason::not_derivable);
  });
}

Known<bool> spreads(const CostEstimate& e, const ModelRule& model) {
  if (!cuts_layers(e.mode)) return Known<bool>::absent();
  if (model.heads == 0) return Known<bool>::unknown(Reason::not_in_input);
  return model.heads % e.set.size() == 0;
}

std::string vendor_of(const FactIndex& index, const std::vector<Address>& set) {
  std::string vendor;
  for (const auto& gpu : set) {
    const auto* text = index.text("gpu.vendor", focus_on(gpu));
    if (text == nullptr || (!vendor.empty() && *text != vendor)) return {};
    vendor = *text;
  }
  return vendor;
}

}  // namespace

std::vector<CostEstimate> estimate_costs(const std::vector<Fact>& facts, const Rules& rules,
                                         const std::vector<Address>& set, const Workload& work) {
  std::vector<CostEstimate> estimates;
  if (set.size() < 2) return estimates;
  const FactIndex index(facts);
  const CostSet gpus{facts, index, rules, set, vendor_of(index, set)};
  const auto memory = memory_of(gpus);
  for (const auto mode : cost_modes()) {
    if (needs_experts(mode) && work.model.experts == 0) continue;
    const auto traffic = traffic_of(mode, work, static_cast<unsigned>(set.size()));
    const auto alpha = latency_of(gpus, mode);
    const auto beta = rate_of(gpus, mode, traffic.pattern);
    CostEstimate e;
    e.model = work.model.id;
    e.mode = mode;
    e.set = set;
    e.batch = work.batch;
    e.prompt = work.prompt;
    e.alpha_us = alpha.value;
    e.alpha_basis = alpha.basis;
    e.alpha_from = alpha.from;
    e.alpha_source = alpha.source;
    e.beta_gbytes_per_s = beta.value;
    e.beta_basis = beta.basis;
    e.beta_from = beta.from;
    add_step(e, traffic, alpha, beta);
    add_prefill(e, traffic, alpha, beta);
    add_step_time(e, work, memory);
    e.splits_evenly = spreads(e, work.model);
    auto opinion = against_one_gpu(e, work, memory, alpha.observed);
    e.beats_one_gpu = opinion.beats;
    e.why = std::move(opinion.why);
    estimates.push_back(std::move(e));
  }
  return estimates;
}

}  // namespace gpucoop
