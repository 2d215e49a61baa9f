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

}  // namespace gpucoop
