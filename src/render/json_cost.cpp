#include "render/json_cost.hpp"

namespace gpucoop::json {

namespace {

Value part(const CostPart& p) {
  return {
      {"what", p.what}, {"calls", number(p.calls)}, {"bytes_per_call", number(p.bytes_per_call)}, {"ms", number(p.ms)}};
}

}  // namespace

Value cost(const CostEstimate& e) {
  Value parts = Value::array();
  for (const CostPart& p : e.parts) parts.push_back(part(p));
  return {{"model", e.model},
          {"mode", e.mode},
          {"set", addresses(e.set)},
          {"batch", e.batch},
          {"prompt", e.prompt},
          {"estimate", !e.measured()},
          {"parts", std::move(parts)},
          {"calls_per_step", number(e.calls_per_step)},
          {"bytes_per_step", number(e.bytes_per_step)},
          {"prefill_calls", number(e.prefill_calls)},
          {"prefill_bytes", number(e.prefill_bytes)},
          {"alpha_us", number(e.alpha_us)},
          {"alpha_basis", to_string(e.alpha_basis)},
          {"alpha_from", e.alpha_from},
          {"alpha_source", text(e.alpha_source)},
          {"beta_gbytes_per_s", number(e.beta_gbytes_per_s)},
          {"beta_basis", to_string(e.beta_basis)},
          {"beta_from", e.beta_from},
          {"decode_ms", number(e.decode_ms)},
          {"prefill_ms", number(e.prefill_ms)},
          {"one_gpu_ms", number(e.one_gpu_ms)},
          {"step_ms", number(e.step_ms)},
          {"share", number(e.share)},
          {"fits_one_gpu", known(e.fits_one_gpu)},
          {"fits_set", known(e.fits_set)},
          {"splits_evenly", known(e.splits_evenly)},
          {"beats_one_gpu", to_string(e.beats_one_gpu)},
          {"why", e.why}};
}

}  // namespace gpucoop::json
