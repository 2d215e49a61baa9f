#include "judge/cost_traffic.hpp"

#include <algorithm>
#include <cmath>

namespace gpucoop {

namespace {

constexpr double kActivation = 2;       // bytes: bfloat16
constexpr double kFloat = 4;            // llama.cpp passes activations on as float32
constexpr double kTokenId = 8;          // bytes of a sampled token
constexpr double kRouting = 8;          // bytes of an expert's index and weight
constexpr double kReduceHalf = 32'768;  // values from which llama.cpp reduces in 16 bits
constexpr double kChunk = 512;          // tokens that llama.cpp takes through the layers at once (--ubatch-size)

/// What is common to all formulas: N GPUs, and the numbers of the shape.
struct Sizes {
  double n;
  double hidden;
  double layers;
  double moe_layers;
  double experts_per_token;
  double vocabulary;
};

Transfer transfer(std::string what, double calls, double bytes) { return {std::move(what), calls, bytes, calls}; }

/// Two all-reduces for each layer and one for the embedding, and the logits of every sequence put together.
std::vector<Transfer> cut_layers(const Sizes& s, double tokens, double sequences, double copies) {
  std::vector<Transfer> list{transfer("all-reduce", 2 * s.layers + 1, copies * tokens * s.hidden * kActivation)};
  if (s.vocabulary > 0) {
    list.push_back(transfer("all-gather of the logits", 1, (s.n - 1) / s.n * sequences * s.vocabulary * kActivation));
  }
  return list;
}

std::vector<Transfer> host_staged(const Sizes& s, double tokens) {
  const double values = tokens * s.hidden;
  const double bytes = values < kReduceHalf ? values * kFloat : values * kActivation;
  return {transfer("all-reduce", 2 * s.layers, (s.n - 1) * bytes)};
}

std::vector<Transfer> crossed(const Sizes& s, double tokens) {
  const double gathered = (s.n - 1) * tokens * (s.hidden * kActivation + kRouting * s.experts_per_token);
  const double scattered = (s.n - 1) * tokens * s.hidden * kActivation;
  return {transfer("all-gather", s.moe_layers, gathered), transfer("reduce-scatter", s.moe_layers, scattered),
          transfer("all-reduce of the token counts", 1, kTokenId * s.n)};
}

/// Two tensors over each boundary between stages, and the sampled tokens back to all.
std::vector<Transfer> stages(const Sizes& s, double tokens, double sequences) {
  return {{"send and receive", s.n - 1, 2 * tokens * s.hidden * kActivation, 1},
          transfer("broadcast", 2, kTokenId * sequences)};
}

std::vector<Transfer> layer_split(const Sizes& s, double tokens) {
  const double chunks = std::ceil(tokens / kChunk);
  return {{"copy", (s.n - 1) * chunks, tokens / chunks * s.hidden * kFloat, chunks}};
}

}  // namespace

const std::vector<std::string_view>& cost_modes() {
  static const std::vector<std::string_view> modes = {
      "tensor",      "tensor-custom-allreduce", "tensor-host-staged", "expert", "expert-dp", "pipeline",
      "layer-split", "prefill-decode"};
  return modes;
}

bool needs_experts(std::string_view mode) { return mode == "expert" || mode == "expert-dp"; }

bool cuts_layers(std::string_view mode) { return mode.starts_with("tensor") || mode == "expert"; }

Known<double> cache_bytes(const ModelRule& model, double tokens) {
  const double each = 2.0 * model.kv_heads * model.head_dim;
  const double growing = model.kv_values != 0 ? model.kv_values : each;
  if (growing == 0) return Known<double>::unknown(Reason::not_in_input);
  const double layers = model.kv_layers != 0 ? model.kv_layers : model.layers;
  const double others = (model.layers - layers) * std::min<double>(tokens, model.window) * each;
  return (layers * tokens * growing + others) * kActivation;
}

Traffic traffic_of(std::string_view mode, const Workload& work, unsigned gpus) {
  const ModelRule& m = work.model;
  const double n = gpus;
  const double batch = work.batch;
  const double prompt = work.prompt;
  const Sizes s{n,
                static_cast<double>(m.hidden),
                static_cast<double>(m.layers),
                static_cast<double>(m.moe_layers),
                static_cast<double>(m.experts_per_token),
                static_cast<double>(m.vocabulary)};
  const double ring = 2 * (n - 1) / n;
  if (mode == "tensor-custom-allreduce") {
    // One shot while messages are small; the prompt's are large and go the library's way.
    return {TrafficPattern::everyone, cut_layers(s, batch, batch, n - 1), cut_layers(s, prompt, 1, ring)};
  }
  if (mode == "tensor-host-staged") {
    return {TrafficPattern::everyone, host_staged(s, batch), host_staged(s, prompt)};
  }
  if (mode == "expert-dp") {
    return {TrafficPattern::ring, crossed(s, std::ceil(batch / n)), crossed(s, prompt)};
  }
  if (mode == "pipeline") return {TrafficPattern::turns, stages(s, batch, batch), stages(s, prompt, 1)};
  if (mode == "layer-split") return {TrafficPattern::turns, layer_split(s, batch), layer_split(s, prompt)};
  if (mode == "prefill-decode") {
    const auto cache = cache_bytes(m, prompt);
    return {TrafficPattern::turns, {}, {transfer("copy of the cache", 1, cache.value_or(0))}, cache.is_known()};
  }
  return {TrafficPattern::ring, cut_layers(s, batch, batch, ring), cut_layers(s, prompt, 1, ring)};
}

}  // namespace gpucoop
