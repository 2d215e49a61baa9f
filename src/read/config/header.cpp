#include "read/config/header.hpp"

#include <optional>

#include "read/config/register.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kVendor = 0x00;
constexpr std::size_t kDevice = 0x02;
constexpr std::size_t kCommand = 0x04;
constexpr std::size_t kRevision = 0x08;
constexpr std::size_t kClass = 0x0a;
constexpr std::size_t kHeaderType = 0x0e;
constexpr std::uint32_t kHeaderTypeMask = 0x7f;
constexpr std::size_t kBars = 0x10;
constexpr std::size_t kPrimaryBus = 0x18;
constexpr std::size_t kSubsystemVendor = 0x2c;
constexpr std::size_t kCardBusSubsystemVendor = 0x40;
constexpr std::uint16_t kCapabilitySubsystemVendor = 0x04;
enum HeaderType : std::uint8_t { kEndpoint = 0, kBridge = 1, kCardBus = 2 };

constexpr std::uint32_t kBarIo = 0x1;
constexpr std::uint32_t kBarTypeMask = 0x6;
constexpr std::uint32_t kBar64 = 0x4;
constexpr std::uint32_t kBarPrefetchable = 0x8;
constexpr std::uint32_t kBarIoFlags = 0x3;
constexpr std::uint32_t kBarMemoryFlags = 0xf;

Known<std::uint16_t> id(const ConfigSpace& space, std::size_t offset) {
  return Register::read16(space, offset).as<std::uint16_t>([](std::uint32_t v) {
    constexpr std::uint32_t kVirtualFunction = 0xffff;
    if (v == kVirtualFunction) return Known<std::uint16_t>::unknown(Reason::not_in_input);
    return Known<std::uint16_t>(static_cast<std::uint16_t>(v));
  });
}

void decode_subsystem(const ConfigSpace& space, const Capabilities& capabilities, PciDevice& device) {
  Known<std::uint16_t> at;
  if (device.header_type.is(kEndpoint)) {
    at = std::uint16_t{kSubsystemVendor};
  } else if (device.header_type.is(kCardBus)) {
    at = std::uint16_t{kCardBusSubsystemVendor};
  } else if (device.header_type.is(kBridge)) {
    at = capabilities.subsystem;
    if (const auto* p = at.get()) at = static_cast<std::uint16_t>(*p + kCapabilitySubsystemVendor);
  } else {
    at = Known<std::uint16_t>::unknown(device.header_type.reason());
  }
  if (!at.is_known()) {
    device.subsystem_vendor_id = at;
    device.subsystem_device_id = at;
    return;
  }
  const auto vendor = Register::read16(space, at.value());
  if (vendor.is_known() && (vendor.bits() == 0 || vendor.bits() == 0xffff)) {
    device.subsystem_vendor_id = Known<std::uint16_t>::absent();
    device.subsystem_device_id = Known<std::uint16_t>::absent();
    return;
  }
  device.subsystem_vendor_id = vendor.value<std::uint16_t>();
  device.subsystem_device_id = Register::read16(space, at.value() + 2U).value<std::uint16_t>();
}

Known<BusNumbers> bus_numbers(const ConfigSpace& space, const Known<std::uint8_t>& header_type) {
  if (header_type.is_unknown()) return Known<BusNumbers>::unknown(header_type.reason());
  if (header_type.is(kEndpoint)) return Known<BusNumbers>::absent();
  const auto primary = space.u8(kPrimaryBus);
  const auto secondary = space.u8(kPrimaryBus + 1);
  const auto subordinate = space.u8(kPrimaryBus + 2);
  if (!primary || !secondary || !subordinate) {
    return Known<BusNumbers>::unknown(space.why_missing(kPrimaryBus, 3));
  }
  return BusNumbers{*primary, *secondary, *subordinate};
}

/// The BAR at `index`, or nullopt where it is not implemented: it reads 0, as an unassigned 32-bit one also does.
/// `is_pair` is set where it takes the next one as its upper half.
std::optional<Bar> bar_at(const ConfigSpace& space, std::uint8_t index, std::uint8_t count, bool& is_pair) {
  is_pair = false;
  Bar bar;
  bar.index = index;
  bar.size = Known<std::uint64_t>::unknown(Reason::not_in_input);
  const std::size_t at = kBars + 4U * index;
  const auto low = Register::read32(space, at).not_all_ones(0xffffffff);
  if (!low.is_known()) {
    bar.assigned = bar.memory = bar.prefetchable = bar.is64bit = low.bit(1);
    return bar;
  }
  if (low.bits() == 0) return std::nullopt;
  if ((low.bits() & kBarIo) != 0) {
    bar.memory = false;
    bar.prefetchable = false;
    bar.is64bit = false;
    bar.assigned = (low.bits() & ~kBarIoFlags) != 0;
    return bar;
  }
  bar.memory = true;
  bar.prefetchable = (low.bits() & kBarPrefetchable) != 0;
  const bool low_assigned = (low.bits() & ~kBarMemoryFlags) != 0;
  is_pair = (low.bits() & kBarTypeMask) == kBar64;
  if (!is_pair) {
    bar.is64bit = false;
    bar.assigned = low_assigned;
    return bar;
  }
  if (index + 1 >= count) {
    bar.is64bit = Known<bool>::unknown(Reason::damaged);
    bar.assigned = low_assigned;
    return bar;
  }
  bar.is64bit = true;
  bar.assigned = low_assigned ? Known<bool>(true) : Register::read32(space, at + 4).bit(0xffffffff);
  return bar;
}

void decode_bars(const ConfigSpace& space, PciDevice& device) {
  constexpr std::uint8_t kEndpointBars = 6;
  constexpr std::uint8_t kBridgeBars = 2;
  std::uint8_t count = 0;
  if (device.header_type.is(kEndpoint)) count = kEndpointBars;
  if (device.header_type.is(kBridge)) count = kBridgeBars;
  for (std::uint8_t i = 0; i < count; ++i) {
    bool is_pair = false;
    if (auto bar = bar_at(space, i, count, is_pair)) device.bars.push_back(*bar);
    if (is_pair) ++i;
  }
}

}  // namespace

bool reads_all_ones(const ConfigSpace& space) {
  const auto ids = space.u32(kVendor);
  const auto command_and_status = space.u32(kCommand);
  const auto header_type = space.u8(kHeaderType);
  if (!ids && !command_and_status) return false;
  return ids.value_or(0xffffffff) == 0xffffffff && command_and_status.value_or(0xffffffff) == 0xffffffff &&
         header_type.value_or(0xff) == 0xff;
}

void decode_header(const ConfigSpace& space, const Capabilities& capabilities, PciDevice& device) {
  device.vendor_id = id(space, kVendor);
  device.device_id = id(space, kDevice);
  device.revision = Register::read8(space, kRevision).value<std::uint8_t>();
  device.class_code = Register::read16(space, kClass).value<std::uint16_t>();
  device.header_type = Register::read8(space, kHeaderType).as<std::uint8_t>([](std::uint32_t v) {
    const auto type = static_cast<std::uint8_t>(v & kHeaderTypeMask);
    return type > kCardBus ? Known<std::uint8_t>::unknown(Reason::damaged) : Known<std::uint8_t>(type);
  });
  device.buses = bus_numbers(space, device.header_type);
  decode_subsystem(space, capabilities, device);
  device.bars.clear();
  decode_bars(space, device);
}

}  // namespace gpucoop
