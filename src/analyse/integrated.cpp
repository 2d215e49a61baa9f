#include "analyse/integrated.hpp"

namespace gpucoop {
namespace {

constexpr std::uint16_t kEncryptionController = 0x1080;

bool beside_security_processor(const DeviceTree& tree, const Address& gpu) {
  const auto& devices = tree.recording().devices;
  for (unsigned function = 1; function < 8; ++function) {
    const auto other = tree.find({gpu.domain, gpu.bus, gpu.device, static_cast<std::uint8_t>(function)});
    if (other && devices[*other].class_code.is(kEncryptionController)) return true;
  }
  return false;
}

bool on_root_bus_as_part_of_the_processor(const Address& a, Vendor vendor, Tri virtualized) {
  if (a.bus != 0 || a.domain != 0) return false;
  if (vendor == Vendor::intel) return a.device == 2;
  // A hypervisor may put a passed-through card at any place of the root bus.
  return vendor == Vendor::amd && a.device == 1 && virtualized != Tri::yes;
}

}  // namespace

bool is_integrated(const DeviceTree& tree, const Chain& chain, const Catalogue& catalogue, Vendor vendor,
                   Tri virtualized) {
  const auto& step = chain.steps.back();
  const auto& device = *step.device;
  const auto* express = device.express.get();
  if (express != nullptr && express->type.is(PortType::integrated_endpoint)) return true;
  if (catalogue.is(DeviceKind::integrated_gpu, device)) return true;
  if (vendor == Vendor::nvidia || vendor == Vendor::other) return false;
  if (chain.steps.size() == 1 && chain.on_root_bus) {
    return on_root_bus_as_part_of_the_processor(step.address, vendor, virtualized);
  }
  if (vendor != Vendor::amd) return false;
  if (chain.steps.size() >= 2) {
    const auto* above = chain.steps[chain.steps.size() - 2].device;
    if (above != nullptr && !step.gap_above && catalogue.is(DeviceKind::internal_bridge, *above)) return true;
  }
  // AMD processors put the security processor into the same multi-function device; cards do not.
  return beside_security_processor(tree, step.address);
}

}  // namespace gpucoop
