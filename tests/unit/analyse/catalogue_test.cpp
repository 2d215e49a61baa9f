#include "analyse/catalogue.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;

namespace {

PciDevice named(std::string name) {
  PciDevice device;
  device.name = std::move(name);
  return device;
}

PciDevice with_ids(std::uint16_t vendor, std::uint16_t id, std::string name) {
  auto device = named(std::move(name));
  device.vendor_id = vendor;
  device.device_id = id;
  return device;
}

}  // namespace

TEST_CASE("ids decide; a name counts only where there are none") {
  const Catalogue catalogue(builtin_rules());
  const auto kind = DeviceKind::chipset_bridge;
  CHECK(catalogue.is(kind, with_ids(0x1022, 0x43f4, "anything")));
  CHECK_FALSE(catalogue.is(kind, with_ids(0x1022, 0x14db, "600 Series Chipset PCIe Switch Upstream Port")));
  CHECK(catalogue.is(kind, named("Advanced Micro Devices, Inc. [AMD] 600 Series Chipset PCIe Switch Upstream Port")));
  CHECK_FALSE(catalogue.is(kind, named("Advanced Micro Devices, Inc. [AMD] Raphael/Granite Ridge GPP Bridge")));
  CHECK_FALSE(catalogue.is(kind, PciDevice{}));
}

TEST_CASE("an id inside a name of the listing's own making is an id") {
  const Catalogue catalogue(builtin_rules());
  CHECK(catalogue.is(DeviceKind::chipset_bridge, named("Advanced Micro Devices, Inc. [AMD] Device 57ad")));
  CHECK(catalogue.is(DeviceKind::card_switch_upstream, named("Intel Corporation Device e2ff")));
  CHECK(catalogue.is(DeviceKind::card_switch_downstream, named("Intel Corporation Device e2f1")));
  CHECK(catalogue.is(DeviceKind::card_switch_upstream, named("Advanced Micro Devices, Inc. [AMD/ATI] Device 14a0")));
  // Another vendor's device of the same number.
  CHECK_FALSE(catalogue.is(DeviceKind::card_switch_upstream, named("Advanced Micro Devices, Inc. [AMD] Device 14a0")));
  CHECK_FALSE(catalogue.is(DeviceKind::card_switch_upstream, named("Intel Corporation Device e2f")));
  CHECK_FALSE(catalogue.is(DeviceKind::card_switch_upstream, named("Intel Corporation Device zzzz")));
  CHECK_FALSE(catalogue.is(DeviceKind::card_switch_upstream, named("Somebody Device e2ff")));
}
