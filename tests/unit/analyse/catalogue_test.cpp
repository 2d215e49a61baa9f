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

TEST_CASE("a chip is told by its id, a single card before its chip") {
  const Catalogue catalogue(builtin_rules());
  const auto chip = [&](std::uint16_t vendor, std::uint16_t id) {
    const auto* rule = catalogue.find(DeviceKind::chip, with_ids(vendor, id, ""));
    REQUIRE(rule != nullptr);
    return *rule;
  };
  CHECK(chip(0x1002, 0x7551).gfx == "gfx1201");
  CHECK(chip(0x1002, 0x7551).fabric == false);
  CHECK(chip(0x1002, 0x740f).gfx == "gfx90a");
  CHECK_FALSE(chip(0x1002, 0x740f).fabric.has_value());
  CHECK(chip(0x1002, 0x66af).fabric == false);  // Radeon VII has no Infinity Fabric link, other cards of its chip have
  CHECK_FALSE(chip(0x1002, 0x66a1).fabric.has_value());
  CHECK(chip(0x10de, 0x2335).compute_capability == 9.0);
  CHECK(chip(0x10de, 0x1094).compute_capability == 2.0);
  CHECK(chip(0x10de, 0x102d).compute_capability == 3.7);
  CHECK(chip(0x10de, 0x2b85).compute_capability == 12.0);
  CHECK(chip(0x10de, 0x1eb8).fabric == false);
  CHECK_FALSE(chip(0x10de, 0x1e07).fabric.has_value());
  CHECK(catalogue.find(DeviceKind::chip, with_ids(0x10de, 0x1af1, "")) == nullptr);  // an NVSwitch
  const auto* by_name = catalogue.find(DeviceKind::chip, named("NVIDIA Corporation AD102GL [RTX 6000 Ada Generation]"));
  REQUIRE(by_name != nullptr);
  CHECK(by_name->compute_capability == 8.9);
}
