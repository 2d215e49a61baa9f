#include "analyse/vendor.hpp"

namespace gpucoop {
namespace {

constexpr std::uint16_t kAti = 0x1002;
constexpr std::uint16_t kAmd = 0x1022;
constexpr std::uint16_t kNvidia = 0x10de;
constexpr std::uint16_t kIntel = 0x8086;

unsigned base_class(const PciDevice& device) {
  return device.class_code.is_known() ? static_cast<unsigned>(device.class_code.value() >> 8) : 0u;
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const auto part : parts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

bool is_gpu(const PciDevice& device) { return base_class(device) == 0x03 || base_class(device) == 0x12; }

Vendor vendor_of(const PciDevice& device) {
  if (const auto* id = device.vendor_id.get()) {
    switch (*id) {
      case kAti:
      case kAmd: return Vendor::amd;
      case kNvidia: return Vendor::nvidia;
      case kIntel: return Vendor::intel;
      default: return Vendor::other;
    }
  }
  if (const auto* name = device.name.get()) {
    if (has_any(*name, {"Advanced Micro Devices", "AMD/ATI", "[AMD", "ATI Technologies"})) return Vendor::amd;
    if (has_any(*name, {"NVIDIA", "nVidia"})) return Vendor::nvidia;
    if (has_any(*name, {"Intel Corporation", "Intel Corp", "Intel "})) return Vendor::intel;
  }
  return Vendor::other;
}

bool can_compute(const PciDevice& device, Vendor vendor, const Catalogue& catalogue) {
  if (catalogue.is(DeviceKind::display_only, device)) return false;
  const bool accelerator = base_class(device) == 0x12;
  if (vendor == Vendor::intel) return !accelerator;
  if (vendor != Vendor::other || accelerator) return true;
  // A 3D controller (0302) or other display controller (0380) drives no monitor: it is there to compute.
  return device.class_code.is(0x0302) || device.class_code.is(0x0380);
}

}  // namespace gpucoop
