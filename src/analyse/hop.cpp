#include "analyse/hop.hpp"

#include "analyse/slot.hpp"

namespace gpucoop {

Role role_of(const Step& step, bool last, bool integrated) {
  const auto* express = step.device == nullptr ? nullptr : step.device->express.get();
  if (express != nullptr && express->type.is_known()) {
    switch (express->type.value()) {
      case PortType::endpoint:
      case PortType::legacy_endpoint: return Role::endpoint;
      case PortType::root_port: return Role::root_port;
      case PortType::switch_upstream: return Role::switch_upstream;
      case PortType::switch_downstream: return Role::switch_downstream;
      case PortType::pcie_to_pci_bridge:
      case PortType::pci_to_pcie_bridge: return Role::bridge;
      case PortType::integrated_endpoint: return Role::integrated_endpoint;
      case PortType::event_collector: return Role::unknown;
    }
  }
  if (!last) return Role::bridge;
  return integrated ? Role::integrated_endpoint : Role::endpoint;
}

std::vector<Hop> hops_of(const Chain& chain, bool integrated) {
  std::vector<Hop> hops;
  hops.reserve(chain.steps.size());
  for (std::size_t i = 0; i < chain.steps.size(); ++i) {
    const auto& step = chain.steps[i];
    const bool last = i + 1 == chain.steps.size();
    Hop hop;
    hop.address = step.address;
    hop.on_card = step.on_card;
    hop.chipset = step.chipset;
    hop.role = role_of(step, last, integrated && last && chain.steps.size() == 1);
    if (step.device != nullptr) {
      const auto& device = *step.device;
      hop.name = device.name;
      hop.acs = device.acs;
      hop.slot = slot_of(device);
      if (const auto* express = device.express.get()) {
        hop.atomic_routing = express->atomic_routing;
        hop.atomic_completer32 = express->atomic_completer32;
        hop.atomic_completer64 = express->atomic_completer64;
        hop.atomic_requester_enabled = express->atomic_requester_enable;
        hop.atomic_egress_blocked = express->atomic_egress_block;
        hop.speed = express->speed;
        hop.width = express->width;
        hop.max_speed = express->max_speed;
        hop.max_width = express->max_width;
      }
    }
    hops.push_back(std::move(hop));
  }
  return hops;
}

}  // namespace gpucoop
