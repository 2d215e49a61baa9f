#include "read/config/decode.hpp"

#include <string>

#include "read/config/capabilities.hpp"
#include "read/config/express.hpp"
#include "read/config/extended.hpp"
#include "read/config/header.hpp"
#include "read/config/register.hpp"

namespace gpucoop {
namespace {

/// Decodes the capability at a known offset; where there is none, the result is absent or unknown like the offset.
template <class T, class F>
Known<T> decode_at(const ConfigSpace& space, const Known<std::uint16_t>& offset, F decode) {
  if (const auto* at = offset.get()) return decode(space, *at);
  return offset.is_absent() ? Known<T>::absent() : Known<T>::unknown(offset.reason());
}

Known<std::string> power_state(const ConfigSpace& space, std::uint16_t at) {
  constexpr std::size_t kControl = 4;
  return Register::read16(space, at + kControl).not_all_ones(0xffff).as<std::string>([](std::uint32_t v) {
    constexpr const char* kNames[] = {"D0", "D1", "D2", "D3hot"};
    return Known<std::string>(kNames[v & 0x3]);
  });
}

/// The size of a Resizable BAR is the one size that configuration space holds.
void take_resizable_sizes(PciDevice& device) {
  for (const auto& resizable : device.resizable_bars) {
    for (auto& bar : device.bars) {
      if (bar.index == resizable.index && resizable.size.is_known()) bar.size = resizable.size;
    }
  }
}

void set_lost(PciDevice& device) {
  constexpr auto kWhy = Reason::device_lost;
  device.lost = true;
  device.vendor_id = Known<std::uint16_t>::unknown(kWhy);
  device.device_id = Known<std::uint16_t>::unknown(kWhy);
  device.subsystem_vendor_id = Known<std::uint16_t>::unknown(kWhy);
  device.subsystem_device_id = Known<std::uint16_t>::unknown(kWhy);
  device.class_code = Known<std::uint16_t>::unknown(kWhy);
  device.revision = Known<std::uint8_t>::unknown(kWhy);
  device.header_type = Known<std::uint8_t>::unknown(kWhy);
  device.buses = Known<BusNumbers>::unknown(kWhy);
  device.express = Known<PciExpress>::unknown(kWhy);
  device.acs = Known<Acs>::unknown(kWhy);
  device.aer = Known<AerStatus>::unknown(kWhy);
  device.sriov = Known<SrIov>::unknown(kWhy);
  device.ari_next_function = Known<std::uint8_t>::unknown(kWhy);
  device.power_state = Known<std::string>::unknown(kWhy);
}

}  // namespace

void decode_config(const ConfigSpace& space, PciDevice& device) {
  device.lost = false;
  device.access_denied = false;
  device.bars.clear();
  device.resizable_bars.clear();
  if (reads_all_ones(space)) {
    set_lost(device);
    return;
  }
  const auto found = find_capabilities(space);
  decode_header(space, found, device);
  device.express = decode_at<PciExpress>(space, found.express, decode_express);
  device.acs = decode_at<Acs>(space, found.acs, decode_acs);
  device.aer = decode_at<AerStatus>(space, found.aer, decode_aer);
  device.sriov = decode_at<SrIov>(space, found.sriov, decode_sriov);
  device.ari_next_function = decode_at<std::uint8_t>(space, found.ari, decode_ari_next_function);
  device.power_state = decode_at<std::string>(space, found.power_management, power_state);
  if (const auto* at = found.resizable_bar.get()) device.resizable_bars = decode_resizable_bars(space, *at);
  take_resizable_sizes(device);
  device.access_denied = found.express.is_unknown() && found.express.reason() == Reason::no_root;
}

}  // namespace gpucoop
