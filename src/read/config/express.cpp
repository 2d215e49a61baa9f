#include "read/config/express.hpp"

#include <optional>

#include "read/config/register.hpp"

namespace gpucoop {
namespace {

// Offsets in the capability (pci_regs.h PCI_EXP_*).
constexpr std::size_t kFlags = 0x02;
constexpr std::size_t kDeviceCapabilities = 0x04;
constexpr std::size_t kDeviceControl = 0x08;
constexpr std::size_t kDeviceStatus = 0x0a;
constexpr std::size_t kLinkCapabilities = 0x0c;
constexpr std::size_t kLinkControl = 0x10;
constexpr std::size_t kLinkStatus = 0x12;
constexpr std::size_t kSlotCapabilities = 0x14;
constexpr std::size_t kSlotStatus = 0x1a;
constexpr std::size_t kDeviceCapabilities2 = 0x24;
constexpr std::size_t kDeviceControl2 = 0x28;
constexpr std::size_t kLinkCapabilities2 = 0x2c;
constexpr std::size_t kLinkControl2 = 0x30;

/// Reads registers at an offset in the capability; all ones is a failed read, since each has reserved bits.
struct Reader {
  const ConfigSpace& space;
  std::size_t base;

  [[nodiscard]] Register word(std::size_t offset) const {
    return Register::read16(space, base + offset).not_all_ones(0xffff);
  }
  [[nodiscard]] Register dword(std::size_t offset) const {
    return Register::read32(space, base + offset).not_all_ones(0xffffffff);
  }
};

std::optional<PortType> port_type(std::uint32_t code) {
  constexpr std::uint32_t kReserved1 = 2;
  constexpr std::uint32_t kReserved2 = 3;
  constexpr auto kLast = static_cast<std::uint32_t>(PortType::event_collector);
  if (code == kReserved1 || code == kReserved2 || code > kLast) return std::nullopt;
  return static_cast<PortType>(code);
}

Known<PortType> decode_type(const Register& flags) {
  return flags.as<PortType>([](std::uint32_t v) {
    const auto type = port_type(v >> 4 & 0xf);
    return type ? Known<PortType>(*type) : Known<PortType>::unknown(Reason::damaged);
  });
}

Known<std::uint16_t> decode_bytes(const Register& reg, unsigned shift) {
  return reg.as<std::uint16_t>([shift](std::uint32_t v) {
    constexpr std::uint32_t kLargest = 5;  // 4096 bytes; the codes above are reserved
    const std::uint32_t code = v >> shift & 0x7;
    if (code > kLargest) return Known<std::uint16_t>::unknown(Reason::damaged);
    return Known<std::uint16_t>(static_cast<std::uint16_t>(128U << code));
  });
}

Known<LinkSpeed> decode_speed(const Register& reg) {
  return reg.as<LinkSpeed>([](std::uint32_t v) {
    const std::uint32_t code = v & 0xf;
    if (code == 0 || code > static_cast<std::uint32_t>(LinkSpeed::gen7)) {
      return Known<LinkSpeed>::unknown(Reason::damaged);
    }
    return Known<LinkSpeed>(static_cast<LinkSpeed>(code));
  });
}

enum class ZeroWidth : std::uint8_t { link_down, impossible };

Known<std::uint8_t> decode_width(const Register& reg, ZeroWidth zero) {
  return reg.as<std::uint8_t>([zero](std::uint32_t v) {
    const std::uint32_t lanes = v >> 4 & 0x3f;
    const bool possible = lanes == 0 ? zero == ZeroWidth::link_down : is_link_width(lanes);
    return possible ? Known<std::uint8_t>(static_cast<std::uint8_t>(lanes))
                    : Known<std::uint8_t>::unknown(Reason::damaged);
  });
}

/// As drivers/pci/pci.c pcie_get_speed_cap: the highest speed of the vector, else the code of Link Capabilities.
Known<LinkSpeed> decode_max_speed(const Register& capabilities, const Register& capabilities2) {
  if (capabilities2.is_known()) {
    for (auto code = static_cast<std::uint32_t>(LinkSpeed::gen7); code != 0; --code) {
      if ((capabilities2.bits() >> code & 1U) != 0) return static_cast<LinkSpeed>(code);
    }
  }
  return decode_speed(capabilities);
}

Known<double> decode_slot_power(const Register& slot) {
  return slot.as<double>([](std::uint32_t v) {
    constexpr double kDivisors[] = {1, 10, 100, 1000};
    constexpr std::uint32_t kFirstNamed = 0xf0;  // 250 W, and 25 W more for each code up to 600 W
    constexpr std::uint32_t kLastNamed = 0xfe;   // the code above says only that it is more than that
    const std::uint32_t value = v >> 7 & 0xff;
    const std::uint32_t scale = v >> 15 & 0x3;
    if (scale != 0 || value < kFirstNamed) return Known<double>(value / kDivisors[scale]);
    if (value > kLastNamed) return Known<double>::unknown(Reason::not_derivable);
    return Known<double>(250.0 + 25.0 * (value - kFirstNamed));
  });
}

/// A port that can do only 2.5 GT/s may hardwire its target to 0 (PCI Express Base, Link Control 2).
Known<LinkSpeed> decode_target_speed(const Register& control2, const Known<LinkSpeed>& max_speed) {
  if (control2.is_known() && (control2.bits() & 0xf) == 0 && max_speed.is(LinkSpeed::gen1)) return LinkSpeed::gen1;
  return decode_speed(control2);
}

/// Whether a register group exists: known, or not knowable because the type or the version is not.
Register when(const Known<bool>& exists, const Register& reg) {
  if (exists.is_unknown()) return Register::unknown(exists.reason());
  return exists.value_or(false) ? reg : Register::absent();
}

Known<bool> has_link(const Known<PortType>& type) {
  if (type.is_unknown()) return Known<bool>::unknown(type.reason());
  return !type.is(PortType::integrated_endpoint) && !type.is(PortType::event_collector);
}

Known<bool> has_slot(const Known<PortType>& type, const Register& flags) {
  constexpr std::uint32_t kSlotImplemented = 0x100;
  if (type.is_unknown()) return Known<bool>::unknown(type.reason());
  if (!type.is(PortType::root_port) && !type.is(PortType::switch_downstream) &&
      !type.is(PortType::pci_to_pcie_bridge)) {
    return false;
  }
  return flags.bit(kSlotImplemented);
}

void decode_device(const Reader& read, PciExpress& e) {
  const auto control = read.word(kDeviceControl);
  const auto status = read.word(kDeviceStatus);
  e.max_payload_supported = decode_bytes(read.dword(kDeviceCapabilities), 0);
  e.max_payload = decode_bytes(control, 5);
  e.max_read_request = decode_bytes(control, 12);
  e.correctable_error = status.bit(0x1);
  e.non_fatal_error = status.bit(0x2);
  e.fatal_error = status.bit(0x4);
  e.unsupported_request = status.bit(0x8);
}

void decode_link(const Reader& read, const Known<bool>& exists, const Known<bool>& version2, PciExpress& e) {
  const auto capabilities = when(exists, read.dword(kLinkCapabilities));
  const auto capabilities2 = when(version2, when(exists, read.dword(kLinkCapabilities2)));
  const auto status = when(exists, read.word(kLinkStatus));
  e.max_speed = decode_max_speed(capabilities, capabilities2);
  e.max_width = decode_width(capabilities, ZeroWidth::impossible);
  e.speed = decode_speed(status);
  e.width = decode_width(status, ZeroWidth::link_down);
  e.link_training = status.bit(0x0800);
  e.dll_active = status.bit(0x2000);
  e.bandwidth_management = status.bit(0x4000);
  e.autonomous_bandwidth = status.bit(0x8000);
  e.link_disabled = when(exists, read.word(kLinkControl)).bit(0x10);
  e.target_speed = decode_target_speed(when(version2, when(exists, read.word(kLinkControl2))), e.max_speed);
}

void decode_slot(const Reader& read, PciExpress& e) {
  const auto slot = when(e.slot_implemented, read.dword(kSlotCapabilities));
  e.physical_slot_number =
      slot.as<std::uint16_t>([](std::uint32_t v) { return Known<std::uint16_t>(static_cast<std::uint16_t>(v >> 19)); });
  e.slot_power_limit_watts = decode_slot_power(slot);
  e.hot_plug_surprise = slot.bit(0x20);
  e.hot_plug_capable = slot.bit(0x40);
  e.presence_detect = when(e.slot_implemented, read.word(kSlotStatus)).bit(0x40);
}

void decode_device2(const Reader& read, const Known<bool>& version2, PciExpress& e) {
  const auto capabilities = when(version2, read.dword(kDeviceCapabilities2));
  const auto control = when(version2, read.word(kDeviceControl2));
  e.ari_forwarding = capabilities.bit(0x20);
  e.atomic_routing = capabilities.bit(0x40);
  e.atomic_completer32 = capabilities.bit(0x80);
  e.atomic_completer64 = capabilities.bit(0x100);
  e.atomic_completer128 = capabilities.bit(0x200);
  e.atomic_requester_enable = control.bit(0x40);
  e.atomic_egress_block = control.bit(0x80);
}

}  // namespace

PciExpress decode_express(const ConfigSpace& space, std::uint16_t at) {
  constexpr std::uint32_t kVersionMask = 0xf;
  constexpr std::uint32_t kSecond = 2;
  const Reader read{space, at};
  const auto flags = read.word(kFlags);

  PciExpress e;
  e.version = flags.as<std::uint8_t>(
      [](std::uint32_t v) { return Known<std::uint8_t>(static_cast<std::uint8_t>(v & kVersionMask)); });
  e.type = decode_type(flags);
  e.slot_implemented = has_slot(e.type, flags);
  const auto version2 = flags.as<bool>([](std::uint32_t v) { return Known<bool>((v & kVersionMask) >= kSecond); });

  decode_device(read, e);
  decode_link(read, has_link(e.type), version2, e);
  decode_slot(read, e);
  decode_device2(read, version2, e);
  return e;
}

}  // namespace gpucoop
