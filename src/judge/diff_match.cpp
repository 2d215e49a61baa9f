#include "judge/diff_match.hpp"

#include <algorithm>

namespace gpucoop {
namespace {

using Gpus = std::vector<const Gpu*>;

Gpus compute_gpus(const Topology& topology) {
  Gpus result;
  for (const Gpu& gpu : topology.gpus) {
    if (gpu.compute) result.push_back(&gpu);
  }
  std::sort(result.begin(), result.end(), [](const Gpu* a, const Gpu* b) { return a->address < b->address; });
  return result;
}

/// Whether the two may be one card: by ids, or where an input has none by what else is known.
bool alike(const Gpu& a, const Gpu& b) {
  const auto agree = [](const auto& x, const auto& y) { return !x.is_known() || !y.is_known() || x == y; };
  if (a.vendor != b.vendor || !agree(a.vendor_id, b.vendor_id) || !agree(a.device_id, b.device_id)) return false;
  const bool by_ids = a.device_id.is_known() && b.device_id.is_known();
  return by_ids || agree(a.name, b.name);
}

}  // namespace

GpuMatch match_gpus(const Topology& before, const Topology& after) {
  const Gpus old_ones = compute_gpus(before);
  const Gpus new_ones = compute_gpus(after);
  std::vector<bool> taken(old_ones.size(), false);
  std::vector<const Gpu*> partner(new_ones.size(), nullptr);
  const auto couple = [&](auto fits) {
    for (std::size_t n = 0; n < new_ones.size(); ++n) {
      for (std::size_t o = 0; o < old_ones.size() && partner[n] == nullptr; ++o) {
        if (taken[o] || !fits(*old_ones[o], *new_ones[n])) continue;
        taken[o] = true;
        partner[n] = old_ones[o];
      }
    }
  };
  couple([](const Gpu& a, const Gpu& b) { return a.address == b.address && alike(a, b); });
  couple(alike);

  GpuMatch match;
  for (std::size_t n = 0; n < new_ones.size(); ++n) {
    match.couples.push_back({partner[n], new_ones[n]});
    if (partner[n] != nullptr) match.to_after.emplace(partner[n]->address, new_ones[n]->address);
  }
  for (std::size_t o = 0; o < old_ones.size(); ++o) {
    if (!taken[o]) match.couples.push_back({old_ones[o], nullptr});
  }
  return match;
}

}  // namespace gpucoop
