#include "judge/cost_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gpucoop {

namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kBillion = 1e9;
constexpr double kWeightsOverhead = 1.05;  // scales, padding, what is kept in more bits
constexpr double kRuntime = 1.5 * kGib;    // context, workspaces, graphs
constexpr double kSameMemory = 0.08;       // drivers keep a few per cent back

/// `10de:2335`
bool is_device(std::string_view ids, const CardRule& card) {
  unsigned vendor = 0;
  unsigned device = 0;
  const auto colon = ids.find(':');
  if (colon == std::string_view::npos) return false;
  const auto* const middle = ids.data() + colon;
  const auto* const end = ids.data() + ids.size();
  if (std::from_chars(ids.data(), middle, vendor, 16).ptr != middle) return false;
  if (std::from_chars(middle + 1, end, device, 16).ptr != end) return false;
  return vendor == card.vendor && std::find(card.devices.begin(), card.devices.end(), device) != card.devices.end();
}

struct CardMemory {
  Known<double> bytes;
  Known<double> gbytes_per_s;
};

CardMemory memory_of_gpu(const CostSet& set, const Address& gpu) {
  CardMemory memory;
  memory.bytes = number_fact(set.index, "gpu.memory", focus_on(gpu));
  const auto* ids = set.index.text("gpu.device", focus_on(gpu));
  if (ids == nullptr) return memory;
  std::vector<const CardRule*> cards;
  for (const auto& card : set.rules.cards) {
    const bool size = !memory.bytes.is_known() ||
                      std::abs(memory.bytes.value() / kGib - card.memory_gib) < kSameMemory * card.memory_gib;
    if (is_device(*ids, card) && size) cards.push_back(&card);
  }
  if (cards.size() != 1) return memory;
  memory.gbytes_per_s = cards.front()->memory_gbytes_per_s;
  if (!memory.bytes.is_known()) memory.bytes = cards.front()->memory_gib * kGib;
  return memory;
}

/// Weights that every token uses, and those of all experts; in bytes.
struct Weights {
  double common = 0;
  double experts = 0;
};

Known<Weights> weights_of(const ModelRule& model) {
  const double all = model.parameters_billion * kBillion * model.bytes_per_weight;
  const double active = model.active_billion * kBillion * model.bytes_per_weight;
  if (all == 0) return Known<Weights>::unknown(Reason::not_in_input);
  if (model.experts == 0) return Weights{all, 0};
  if (active == 0) return Known<Weights>::unknown(Reason::not_in_input);
  const double chosen = static_cast<double>(model.experts_per_token) / model.experts;
  if (chosen >= 1) return Weights{all, 0};
  const double experts = std::min(all, (all - active) / (1 - chosen));
  return Weights{all - experts, experts};
}

}  // namespace

SetMemory memory_of(const CostSet& set) {
  SetMemory memory;
  bool first = true;
  const auto take = [&](Known<double>& best, const Known<double>& value, auto better) {
    if (first || !value.is_known()) {
      if (first || best.is_known()) best = value;
    } else if (best.is_known() && better(value.value(), best.value())) {
      best = value;
    }
  };
  for (const auto& gpu : set.gpus) {
    const auto card = memory_of_gpu(set, gpu);
    take(memory.least_bytes, card.bytes, std::less<>());
    take(memory.most_bytes, card.bytes, std::greater<>());
    take(memory.least_gbytes_per_s, card.gbytes_per_s, std::less<>());
    take(memory.most_gbytes_per_s, card.gbytes_per_s, std::greater<>());
    first = false;
  }
  return memory;
}

Known<double> weights_read(const Workload& work, std::string_view mode, unsigned parts) {
  return weights_of(work.model).and_then([&](const Weights& weights) {
    const ModelRule& model = work.model;
    const double untouched =
        model.experts == 0 ? 0 : std::pow(1 - static_cast<double>(model.experts_per_token) / model.experts, work.batch);
    const double common = mode == "expert-dp" ? weights.common : weights.common / parts;
    return Known<double>(common + weights.experts * (1 - untouched) / parts);
  });
}

Known<double> bytes_needed(const Workload& work, std::string_view mode, unsigned parts) {
  const ModelRule& model = work.model;
  const auto weights = weights_of(model);
  const auto cache = cache_bytes(model, work.prompt);
  if (!cache.is_known()) return cache;
  return weights.and_then([&](const Weights& w) {
    const bool cut = cuts_layers(mode);
    const double spread = cut ? std::min<double>(parts, std::max(1U, model.kv_heads)) : parts;
    const double held = mode == "expert-dp" ? w.common + w.experts / parts : (w.common + w.experts) / parts;
    return Known<double>(held * kWeightsOverhead + work.batch * cache.value() / spread + kRuntime);
  });
}

Known<bool> fits(const Workload& work, std::string_view mode, unsigned parts, const Known<double>& memory) {
  if (!memory.is_known()) return Known<bool>::unknown(Reason::not_derivable);
  const double weights = work.model.parameters_billion * kBillion * work.model.bytes_per_weight;
  if (mode != "expert-dp" && weights / parts > memory.value()) return false;
  const auto needed = bytes_needed(work, mode, parts);
  if (!needed.is_known()) return Known<bool>::unknown(Reason::not_derivable);
  return needed.value() <= memory.value();
}

}  // namespace gpucoop
