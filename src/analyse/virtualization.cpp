#include "analyse/virtualization.hpp"

#include <fmt/format.h>

namespace gpucoop {
namespace {

constexpr std::uint16_t kVirtio = 0x1af4;
constexpr std::uint16_t kVmware = 0x15ad;

/// SmartNICs show virtio functions on real hosts too, but behind a port; on the root bus only a hypervisor puts them.
bool may_be_real_hardware(const PciDevice& device) { return device.vendor_id.is(kVirtio) && device.address.bus != 0; }

/// QEMU and VMware mark the chipset that they emulate by the subsystem vendor.
bool emulated_chipset(const PciDevice& device) {
  return device.address.bus == 0 && (device.subsystem_vendor_id.is(kVirtio) || device.subsystem_vendor_id.is(kVmware));
}

std::string place(const Recording& recording, const PciDevice& device) {
  if (device.places.empty()) return {};
  const auto where = to_string(recording, device.places.front());
  return where.empty() ? std::string() : fmt::format(" ({})", where);
}

}  // namespace

bool is_wsl(const HostReading& host) {
  return host.kernel.is_known() && host.kernel.value().find("microsoft-standard") != std::string::npos;
}

Virtualization virtualization_of(const Recording& recording, const Catalogue& catalogue) {
  if (is_wsl(recording.host)) return {Tri::yes, "the kernel is that of WSL, Windows Subsystem for Linux"};
  if (recording.host.hypervisor.is(true))
    return {Tri::yes, "the firmware, the processor or the log says that a hypervisor is present"};
  for (const auto& device : recording.devices) {
    const auto* rule = catalogue.find(DeviceKind::hypervisor, device);
    if (rule != nullptr && !may_be_real_hardware(device)) {
      return {Tri::yes, fmt::format("{} is {}{}", short_form(device.address), rule->title, place(recording, device))};
    }
    if (emulated_chipset(device)) {
      return {Tri::yes, fmt::format("{} has subsystem vendor {:04x}, a hypervisor's{}", short_form(device.address),
                                    device.subsystem_vendor_id.value(), place(recording, device))};
    }
  }
  if (recording.host.hypervisor.is(false)) return {Tri::no, "the processor reports no hypervisor"};
  return {Tri::unknown, "nothing that was read tells a virtual machine from a real one"};
}

}  // namespace gpucoop
