#include "model/pci.hpp"

#include <array>
#include <cmath>

namespace gpucoop {
namespace {

struct SpeedRow {
  LinkSpeed speed;
  double gigatransfers;
  double lane_gbytes_per_s;
};

constexpr std::array<SpeedRow, 7> kSpeeds{{
    {LinkSpeed::gen1, 2.5, 2.5 * 8 / 10 / 8},
    {LinkSpeed::gen2, 5, 5.0 * 8 / 10 / 8},
    {LinkSpeed::gen3, 8, 8.0 * 128 / 130 / 8},
    {LinkSpeed::gen4, 16, 16.0 * 128 / 130 / 8},
    {LinkSpeed::gen5, 32, 32.0 * 128 / 130 / 8},
    {LinkSpeed::gen6, 64, 64.0 * 242 / 256 / 8},
    {LinkSpeed::gen7, 128, 128.0 * 242 / 256 / 8},
}};

const SpeedRow& row(LinkSpeed speed) { return kSpeeds.at(static_cast<std::size_t>(speed) - 1); }

}  // namespace

double gigatransfers(LinkSpeed speed) { return row(speed).gigatransfers; }
double lane_gbytes_per_s(LinkSpeed speed) { return row(speed).lane_gbytes_per_s; }

std::optional<LinkSpeed> speed_from_gigatransfers(double gts) {
  for (const auto& r : kSpeeds) {
    if (std::abs(gts - r.gigatransfers) <= r.gigatransfers * 0.01) return r.speed;
  }
  return std::nullopt;
}

bool is_link_width(unsigned lanes) {
  switch (lanes) {
    case 1:
    case 2:
    case 4:
    case 8:
    case 12:
    case 16:
    case 32: return true;
    default: return false;
  }
}

std::string_view to_string(PortType type) {
  switch (type) {
    case PortType::endpoint: return "Endpoint";
    case PortType::legacy_endpoint: return "Legacy Endpoint";
    case PortType::root_port: return "Root Port";
    case PortType::switch_upstream: return "Upstream Port";
    case PortType::switch_downstream: return "Downstream Port";
    case PortType::pcie_to_pci_bridge: return "PCI-Express to PCI/PCI-X Bridge";
    case PortType::pci_to_pcie_bridge: return "PCI/PCI-X to PCI-Express Bridge";
    case PortType::integrated_endpoint: return "Root Complex Integrated Endpoint";
    case PortType::event_collector: return "Root Complex Event Collector";
  }
  return "unknown";
}

PciExpress PciExpress::unknown(Reason reason) {
  const auto forget = [reason](auto&... fields) { ((fields = std::decay_t<decltype(fields)>::unknown(reason)), ...); };
  PciExpress e;
  forget(e.version, e.type, e.slot_implemented, e.max_payload_supported, e.max_payload, e.max_read_request,
         e.correctable_error, e.non_fatal_error, e.fatal_error, e.unsupported_request, e.max_speed, e.max_width,
         e.speed, e.width, e.link_training, e.dll_active, e.bandwidth_management, e.autonomous_bandwidth,
         e.link_disabled, e.target_speed, e.atomic_routing, e.atomic_completer32, e.atomic_completer64,
         e.atomic_completer128, e.atomic_requester_enable, e.atomic_egress_block, e.ari_forwarding,
         e.physical_slot_number, e.slot_power_limit_watts, e.hot_plug_capable, e.hot_plug_surprise, e.presence_detect);
  return e;
}

}  // namespace gpucoop
