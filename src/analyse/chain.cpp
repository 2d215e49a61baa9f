#include "analyse/chain.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpucoop {
namespace {

constexpr std::size_t kDeepest = 32;

bool is_type(const Step& step, PortType type) {
  if (step.device == nullptr) return false;
  const auto* express = step.device->express.get();
  return express != nullptr && express->type.is(type);
}

Facing facing_of(PortType type) {
  switch (type) {
    case PortType::root_port:
    case PortType::switch_downstream: return Facing::down;
    case PortType::switch_upstream:
    // Its link is above it; what is below is conventional PCI.
    case PortType::pcie_to_pci_bridge: return Facing::up;
    case PortType::endpoint:
    case PortType::legacy_endpoint: return Facing::endpoint;
    case PortType::pci_to_pcie_bridge: return Facing::down;
    case PortType::integrated_endpoint:
    case PortType::event_collector: return Facing::other;
  }
  return Facing::unknown;
}

Facing inferred(const Chain& chain, std::size_t i) {
  const auto& step = chain.steps[i];
  if (i + 1 == chain.steps.size()) return Facing::endpoint;
  // NCCL keeps the upstream-facing elements of a path and leaves out the ports above them.
  if (step.device != nullptr && step.device->parent_skips_levels) return Facing::up;
  if (i == 0) return chain.on_root_bus ? Facing::down : Facing::unknown;
  if (step.gap_above) return Facing::unknown;
  switch (chain.steps[i - 1].facing) {
    case Facing::down: return Facing::up;
    case Facing::up: return Facing::down;
    default: return Facing::unknown;
  }
}

void resolve_facing(Chain& chain) {
  for (std::size_t i = 0; i < chain.steps.size(); ++i) {
    auto& step = chain.steps[i];
    step.facing = Facing::unknown;
    if (step.device != nullptr && step.device->express.is_absent()) {
      step.facing = Facing::other;
      continue;
    }
    if (step.device != nullptr) {
      const auto* express = step.device->express.get();
      if (express != nullptr && express->type.is_known()) step.facing = facing_of(express->type.value());
    }
    if (step.facing == Facing::unknown) step.facing = inferred(chain, i);
  }
}

}  // namespace

std::optional<std::size_t> Chain::root_port() const {
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (is_type(steps[i], PortType::root_port)) return i;
  }
  return std::nullopt;
}

bool Chain::reaches_root() const { return on_root_bus || root_port().has_value(); }

Chain build_chain(const DeviceTree& tree, std::size_t index, std::vector<Warning>& warnings) {
  Chain chain;
  auto at = index;
  for (;;) {
    const auto& device = tree.device(at);
    const auto& parent = tree.above(at);
    chain.steps.push_back({device.address, &device, at, parent.gap, Facing::unknown, false, false});
    if (parent.kind == Parent::Kind::root_bus) chain.on_root_bus = true;
    if (parent.kind == Parent::Kind::host) chain.host_attached = true;
    if (parent.kind != Parent::Kind::bridge) break;
    const bool seen = std::any_of(chain.steps.begin(), chain.steps.end(),
                                  [&](const Step& step) { return step.address == parent.address; });
    if (seen || chain.steps.size() >= kDeepest) {
      warnings.push_back(
          {"analysis.cyclic-bridges",
           fmt::format("The bridges above {} {}. The path is cut at {}; read the host again (lspci -vvv as root).",
                       short_form(tree.device(index).address),
                       seen ? "lead back to themselves" : "are more than 32 deep", short_form(device.address)),
           to_string(tree.device(index).address)});
      chain.steps.back().gap_above = true;
      break;
    }
    if (!parent.index) {
      chain.steps.push_back({parent.address, nullptr, 0, false, Facing::unknown, false, false});
      chain.on_root_bus = parent.address.bus == 0;
      break;
    }
    at = *parent.index;
  }
  std::reverse(chain.steps.begin(), chain.steps.end());
  for (std::size_t i = 1; i < chain.steps.size(); ++i) chain.has_gap = chain.has_gap || chain.steps[i].gap_above;
  resolve_facing(chain);
  return chain;
}

}  // namespace gpucoop
