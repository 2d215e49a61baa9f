#include "analyse/card.hpp"

#include "analyse/vendor.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMostFunctionsOfABoard = 64;
constexpr std::uint16_t kAudio = 0x0403;

bool has_type(const Step& step, PortType type) {
  const auto* express = step.device == nullptr ? nullptr : step.device->express.get();
  return express != nullptr && express->type.is(type);
}

bool from(const Step& step, std::uint16_t vendor) {
  return step.device != nullptr && step.device->vendor_id.is(vendor);
}

bool fits(const DeviceRule* rule, Vendor gpu) {
  if (rule == nullptr) return false;
  return rule->vendor == 0x8086 ? gpu == Vendor::intel : gpu == Vendor::amd;
}

/// 2.5 GT/s x1 as the most that the GPU function can do: the placeholder of Intel's cards.
bool placeholder_link(const Step& step) {
  const auto* express = step.device == nullptr ? nullptr : step.device->express.get();
  return express != nullptr && express->max_speed.is(LinkSpeed::gen1) && express->max_width.is(1);
}

/// A pair of switch ports of the card maker right above the GPU that the catalogue does not know yet.
bool looks_like_card_switch(const Step& upstream, const Step& downstream, const Step& gpu, Vendor vendor) {
  if (!has_type(upstream, PortType::switch_upstream) || !has_type(downstream, PortType::switch_downstream))
    return false;
  if (vendor == Vendor::amd) return from(upstream, 0x1002) && from(downstream, 0x1002);
  return vendor == Vendor::intel && from(upstream, 0x8086) && from(downstream, 0x8086) && placeholder_link(gpu);
}

void mark_by_catalogue(const Catalogue& catalogue, Vendor vendor, Chain& chain) {
  for (std::size_t i = chain.steps.size() - 1; i-- > 0;) {
    auto& step = chain.steps[i];
    if (step.device == nullptr) return;
    const bool below_is_card = i + 2 == chain.steps.size() || chain.steps[i + 1].on_card;
    if (!below_is_card) return;
    if (fits(catalogue.find(DeviceKind::card_switch_downstream, *step.device), vendor) ||
        fits(catalogue.find(DeviceKind::card_switch_upstream, *step.device), vendor)) {
      step.on_card = true;
    }
  }
}

/// NCCL topologies may have no ids: a bridge that holds one AMD GPU only, whose own link is faster than the bridge's.
/// The two ends of one link cannot differ, so the GPU's link is another one, inside the card.
bool faster_below_lone_bridge(const DeviceTree& tree, const Step& bridge, const Step& gpu, Vendor vendor) {
  if (vendor != Vendor::amd || bridge.device == nullptr || !gpu.gap_above) return false;
  if (bridge.device->vendor_id.is_known() || tree.below(bridge.index).size() != 1) return false;
  const auto* above = bridge.device->express.get();
  const auto* below = gpu.device->express.get();
  if (above == nullptr || below == nullptr) return false;
  if (!above->speed.is_known() || !above->width.is_known() || !below->speed.is_known() || !below->width.is_known()) {
    return false;
  }
  return lane_gbytes_per_s(below->speed.value()) * below->width.value() >
         lane_gbytes_per_s(above->speed.value()) * above->width.value();
}

/// True where all that hangs below `index` are GPUs of the device id `id` (at least two) and their audio functions.
bool holds_only(const DeviceTree& tree, std::size_t index, std::uint16_t id) {
  std::vector<std::size_t> open{index};
  std::size_t seen = 0;
  std::size_t gpus = 0;
  while (!open.empty()) {
    const auto at = open.back();
    open.pop_back();
    for (const auto child : tree.below(at)) {
      if (++seen > kMostFunctionsOfABoard) return false;
      const auto& device = tree.device(child);
      if (is_bridge(device)) {
        open.push_back(child);
      } else if (is_gpu(device)) {
        if (!device.device_id.is(id)) return false;
        ++gpus;
      } else if (!device.class_code.is(kAudio)) {
        return false;
      }
    }
  }
  return gpus >= 2;
}

void mark_multi_gpu_board(const DeviceTree& tree, const Catalogue& catalogue, Chain& chain) {
  const auto& gpu = *chain.steps.back().device;
  if (chain.steps.size() < 3 || !catalogue.is(DeviceKind::multi_gpu_board, gpu) || !gpu.device_id.is_known()) return;
  auto& downstream = chain.steps[chain.steps.size() - 2];
  auto& upstream = chain.steps[chain.steps.size() - 3];
  if (upstream.device == nullptr || upstream.facing != Facing::up || downstream.facing != Facing::down) return;
  if (!holds_only(tree, upstream.index, gpu.device_id.value())) return;
  downstream.on_card = true;
  upstream.on_card = true;
}

/// The chipset of Intel boards has its root ports at devices 27, 28 and 29 of bus 0 (PCH datasheets, "PCI Express
/// Root Ports": D27, D28, D29).
bool intel_chipset_root_port(const Chain& chain, std::size_t i) {
  const auto& step = chain.steps[i];
  if (step.device == nullptr || i + 1 == chain.steps.size() || i != 0) return false;
  const auto& a = step.address;
  return a.domain == 0 && a.bus == 0 && a.device >= 27 && a.device <= 29 && vendor_of(*step.device) == Vendor::intel &&
         is_bridge(*step.device);
}

}  // namespace

bool may_have_card_switch(Vendor vendor) { return vendor == Vendor::amd || vendor == Vendor::intel; }

void mark_parts(const DeviceTree& tree, const Catalogue& catalogue, Vendor vendor, Chain& chain) {
  auto& steps = chain.steps;
  const auto n = steps.size();
  if (n >= 2 && may_have_card_switch(vendor)) {
    mark_by_catalogue(catalogue, vendor, chain);
    if (n >= 3 && !steps[n - 2].on_card && looks_like_card_switch(steps[n - 3], steps[n - 2], steps[n - 1], vendor)) {
      steps[n - 2].on_card = true;
      steps[n - 3].on_card = true;
    }
    if (!steps[n - 2].on_card && faster_below_lone_bridge(tree, steps[n - 2], steps[n - 1], vendor)) {
      steps[n - 2].on_card = true;
    }
  }
  mark_multi_gpu_board(tree, catalogue, chain);
  for (std::size_t i = 0; i < n; ++i) {
    auto& step = steps[i];
    if (step.device == nullptr || step.on_card) continue;
    step.chipset =
        (i + 1 < n && catalogue.is(DeviceKind::chipset_bridge, *step.device)) || intel_chipset_root_port(chain, i);
  }
}

}  // namespace gpucoop
