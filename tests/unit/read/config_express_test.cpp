#include <doctest/doctest.h>

#include "config_builder.hpp"

using namespace gpucoop;
using gpucoop::test::ConfigBuilder;

namespace {

constexpr std::size_t kX = ConfigBuilder::kExpress;
constexpr unsigned kEndpoint = 0;
constexpr unsigned kRootPort = 4;

PciExpress express_of(const ConfigBuilder& b) {
  const auto d = b.decoded();
  REQUIRE(d.express.is_known());
  return d.express.value();
}

struct BitCase {
  const char* name;
  std::size_t offset;
  std::uint32_t mask;
  Known<bool> PciExpress::*field;
};

}  // namespace

TEST_CASE("every port type by its code") {
  const std::pair<unsigned, PortType> types[] = {
      {0, PortType::endpoint},           {1, PortType::legacy_endpoint},     {4, PortType::root_port},
      {5, PortType::switch_upstream},    {6, PortType::switch_downstream},   {7, PortType::pcie_to_pci_bridge},
      {8, PortType::pci_to_pcie_bridge}, {9, PortType::integrated_endpoint}, {10, PortType::event_collector}};
  for (const auto& entry : types) {
    CAPTURE(entry.first);
    const auto e = express_of(ConfigBuilder().express(2, entry.first));
    CHECK(e.version.is(2));
    CHECK(e.type.is(entry.second));
  }
  for (const unsigned code : {2U, 3U, 11U, 15U}) {
    CAPTURE(code);
    const auto e = express_of(ConfigBuilder().express(2, code));
    CHECK(e.type == Known<PortType>::unknown(Reason::damaged));
    CHECK(e.width == Known<std::uint8_t>::unknown(Reason::damaged));
    CHECK(e.physical_slot_number == Known<std::uint16_t>::unknown(Reason::damaged));
  }
}

TEST_CASE("each bit is read from its own place and from nowhere else") {
  const BitCase cases[] = {
      {"correctable error", 0x0a, 0x1, &PciExpress::correctable_error},
      {"non-fatal error", 0x0a, 0x2, &PciExpress::non_fatal_error},
      {"fatal error", 0x0a, 0x4, &PciExpress::fatal_error},
      {"unsupported request", 0x0a, 0x8, &PciExpress::unsupported_request},
      {"link training", 0x12, 0x0800, &PciExpress::link_training},
      {"DLL active", 0x12, 0x2000, &PciExpress::dll_active},
      {"LBMS", 0x12, 0x4000, &PciExpress::bandwidth_management},
      {"LABS", 0x12, 0x8000, &PciExpress::autonomous_bandwidth},
      {"link disabled", 0x10, 0x10, &PciExpress::link_disabled},
      {"atomic routing", 0x24, 0x40, &PciExpress::atomic_routing},
      {"32-bit completer", 0x24, 0x80, &PciExpress::atomic_completer32},
      {"64-bit completer", 0x24, 0x100, &PciExpress::atomic_completer64},
      {"128-bit CAS completer", 0x24, 0x200, &PciExpress::atomic_completer128},
      {"ARI forwarding", 0x24, 0x20, &PciExpress::ari_forwarding},
      {"atomic requester enable", 0x28, 0x40, &PciExpress::atomic_requester_enable},
      {"atomic egress block", 0x28, 0x80, &PciExpress::atomic_egress_block},
      {"hot-plug surprise", 0x14, 0x20, &PciExpress::hot_plug_surprise},
      {"hot-plug capable", 0x14, 0x40, &PciExpress::hot_plug_capable},
      {"presence detect", 0x1a, 0x40, &PciExpress::presence_detect},
  };
  for (const auto& set : cases) {
    CAPTURE(set.name);
    const auto e = express_of(ConfigBuilder().express(2, kRootPort, true).u32(kX + set.offset, set.mask));
    for (const auto& read : cases) {
      CAPTURE(read.name);
      CHECK((e.*read.field).is(&read == &set));
    }
    // The same register with every other bit set.
    const bool dword = set.offset == 0x24 || set.offset == 0x14;
    ConfigBuilder inverse;
    inverse.express(2, kRootPort, true);
    if (dword) {
      inverse.u32(kX + set.offset, ~set.mask);
    } else {
      inverse.u16(kX + set.offset, ~set.mask & 0xffff);
    }
    CHECK((express_of(inverse).*set.field).is(false));
  }
}

TEST_CASE("the control word of a GPU with Requester Enable, as setpci shows it") {
  CHECK(express_of(ConfigBuilder().express(2, 1).u16(kX + 0x28, 0x1440)).atomic_requester_enable.is(true));
  CHECK(express_of(ConfigBuilder().express(2, 1).u16(kX + 0x28, 0x1400)).atomic_requester_enable.is(false));
}

TEST_CASE("payload and read request sizes in bytes, reserved codes unknown") {
  const auto e = express_of(ConfigBuilder().express(2, 0).u32(kX + 0x04, 0x2).u16(kX + 0x08, 0x5 << 12 | 0x1 << 5));
  CHECK(e.max_payload_supported.is(512));
  CHECK(e.max_payload.is(256));
  CHECK(e.max_read_request.is(4096));
  const auto bad = express_of(ConfigBuilder().express(2, 0).u32(kX + 0x04, 0x6).u16(kX + 0x08, 0x7 << 12 | 0x6 << 5));
  CHECK(bad.max_payload_supported == Known<std::uint16_t>::unknown(Reason::damaged));
  CHECK(bad.max_payload == Known<std::uint16_t>::unknown(Reason::damaged));
  CHECK(bad.max_read_request == Known<std::uint16_t>::unknown(Reason::damaged));
}

TEST_CASE("link speed and width of every generation") {
  for (unsigned code = 1; code <= 7; ++code) {
    for (const unsigned lanes : {1U, 2U, 4U, 8U, 12U, 16U, 32U}) {
      CAPTURE(code);
      CAPTURE(lanes);
      ConfigBuilder b;
      b.express(2, kEndpoint).u32(kX + 0x0c, code | lanes << 4 | 0xff000c00).u16(kX + 0x12, code | lanes << 4 | 0x1000);
      const auto e = express_of(b.u16(kX + 0x30, code));
      CHECK(e.max_speed.is(static_cast<LinkSpeed>(code)));
      CHECK(e.speed.is(static_cast<LinkSpeed>(code)));
      CHECK(e.target_speed.is(static_cast<LinkSpeed>(code)));
      CHECK(e.max_width.is(static_cast<std::uint8_t>(lanes)));
      CHECK(e.width.is(static_cast<std::uint8_t>(lanes)));
    }
  }
}

TEST_CASE("speeds and widths that no link has are unknown, never a number") {
  for (const unsigned code : {0U, 8U, 14U, 15U}) {
    CAPTURE(code);
    const auto e = express_of(ConfigBuilder().express(2, 0).u32(kX + 0x0c, code | 0x100).u16(kX + 0x12, code | 0x100));
    CHECK(e.max_speed == Known<LinkSpeed>::unknown(Reason::damaged));
    CHECK(e.speed == Known<LinkSpeed>::unknown(Reason::damaged));
    CHECK(e.width.is(16));
  }
  for (const unsigned lanes : {3U, 5U, 24U, 33U, 48U, 63U}) {
    CAPTURE(lanes);
    const auto e =
        express_of(ConfigBuilder().express(2, 0).u32(kX + 0x0c, 4 | lanes << 4).u16(kX + 0x12, 4 | lanes << 4));
    CHECK(e.max_width == Known<std::uint8_t>::unknown(Reason::damaged));
    CHECK(e.width == Known<std::uint8_t>::unknown(Reason::damaged));
    CHECK(e.speed.is(LinkSpeed::gen4));
  }
}

TEST_CASE("width 0 is a link that is down; a port cannot be built for 0 lanes") {
  const auto e = express_of(ConfigBuilder().express(2, kRootPort).u32(kX + 0x0c, 4).u16(kX + 0x12, 1));
  CHECK(e.width.is(0));
  CHECK(e.max_width == Known<std::uint8_t>::unknown(Reason::damaged));
}

TEST_CASE("registers that read all ones say nothing") {
  ConfigBuilder b;
  b.express(2, kRootPort, true);
  for (std::size_t at = 0x04; at < 0x3c; at += 4) b.u32(kX + at, 0xffffffff);
  const auto e = express_of(b);
  CHECK(e.atomic_routing == Known<bool>::unknown(Reason::damaged));
  CHECK(e.atomic_requester_enable == Known<bool>::unknown(Reason::damaged));
  CHECK(e.speed == Known<LinkSpeed>::unknown(Reason::damaged));
  CHECK(e.max_speed == Known<LinkSpeed>::unknown(Reason::damaged));
  CHECK(e.width == Known<std::uint8_t>::unknown(Reason::damaged));
  CHECK(e.bandwidth_management == Known<bool>::unknown(Reason::damaged));
  CHECK(e.physical_slot_number == Known<std::uint16_t>::unknown(Reason::damaged));
}

TEST_CASE("the best speed is the highest of the vector, and Link Capabilities' own without one") {
  const auto with = [](std::uint32_t vector, unsigned code) {
    return express_of(ConfigBuilder().express(2, 0).u32(kX + 0x0c, code | 0x100).u32(kX + 0x2c, vector)).max_speed;
  };
  CHECK(with(0x02, 1).is(LinkSpeed::gen1));
  CHECK(with(0x0e, 3).is(LinkSpeed::gen3));
  CHECK(with(0x3e, 5).is(LinkSpeed::gen5));
  CHECK(with(0x7e, 6).is(LinkSpeed::gen6));
  CHECK(with(0xfe, 7).is(LinkSpeed::gen7));
  CHECK(with(0x1e, 3).is(LinkSpeed::gen4));        // as the kernel: the vector counts
  CHECK(with(0x01800100, 4).is(LinkSpeed::gen4));  // crosslink and retimer bits are no speeds
  CHECK(with(0, 4).is(LinkSpeed::gen4));
}

TEST_CASE("a target speed of 0 is that of a port that has no other") {
  const auto target = [](unsigned max) {
    return express_of(ConfigBuilder().express(2, 0).u32(kX + 0x0c, max | 0x100).u16(kX + 0x30, 0)).target_speed;
  };
  CHECK(target(1).is(LinkSpeed::gen1));
  CHECK(target(3) == Known<LinkSpeed>::unknown(Reason::damaged));
}

TEST_CASE("version 1 does not have the second set of registers, whatever stands there") {
  ConfigBuilder b;
  b.express(1, kRootPort).u32(kX + 0x0c, 1 | 0x100).u16(kX + 0x12, 1 | 0x100);
  b.u32(kX + 0x24, 0x3c0).u16(kX + 0x28, 0xc0).u32(kX + 0x2c, 0x1e).u16(kX + 0x30, 4);
  const auto e = express_of(b);
  CHECK(e.version.is(1));
  CHECK(e.atomic_routing.is_absent());
  CHECK(e.atomic_completer32.is_absent());
  CHECK(e.atomic_completer64.is_absent());
  CHECK(e.atomic_completer128.is_absent());
  CHECK(e.atomic_requester_enable.is_absent());
  CHECK(e.atomic_egress_block.is_absent());
  CHECK(e.ari_forwarding.is_absent());
  CHECK(e.target_speed.is_absent());
  CHECK(e.max_speed.is(LinkSpeed::gen1));
  CHECK(e.width.is(16));
}

TEST_CASE("integrated endpoints and event collectors have no link") {
  for (const unsigned type : {9U, 10U}) {
    ConfigBuilder b;
    b.express(2, type).u32(kX + 0x0c, 0x104).u16(kX + 0x12, 0x104).u32(kX + 0x24, 0x180).u32(kX + 0x2c, 0x1e);
    const auto e = express_of(b);
    CHECK(e.max_speed.is_absent());
    CHECK(e.max_width.is_absent());
    CHECK(e.speed.is_absent());
    CHECK(e.width.is_absent());
    CHECK(e.link_disabled.is_absent());
    CHECK(e.target_speed.is_absent());
    CHECK(e.atomic_completer32.is(true));
  }
}

TEST_CASE("slot number and power where there is a slot") {
  const auto slot = [](unsigned type, bool implemented, std::uint32_t capabilities) {
    return express_of(ConfigBuilder().express(2, type, implemented).u32(kX + 0x14, capabilities));
  };
  const auto e = slot(kRootPort, true, 0x1fffU << 19 | 75U << 7);
  CHECK(e.slot_implemented.is(true));
  CHECK(e.physical_slot_number.is(0x1fff));
  CHECK(e.slot_power_limit_watts.is(75.0));
  CHECK(slot(6, true, 1U << 15 | 250U << 7).slot_power_limit_watts.is(25.0));
  CHECK(slot(6, true, 3U << 15 | 206U << 7).slot_power_limit_watts.is(0.206));
  CHECK(slot(6, true, 0xf0U << 7).slot_power_limit_watts.is(250.0));
  CHECK(slot(6, true, 0xf1U << 7).slot_power_limit_watts.is(275.0));
  CHECK(slot(6, true, 0xf2U << 7).slot_power_limit_watts.is(300.0));
  CHECK(slot(6, true, 0xfeU << 7).slot_power_limit_watts.is(600.0));
  CHECK(slot(6, true, 0xffU << 7).slot_power_limit_watts.is_unknown());
  CHECK(slot(6, true, 0xefU << 7).slot_power_limit_watts.is(239.0));
  for (const auto& none :
       {slot(kRootPort, false, 5U << 19), slot(kEndpoint, true, 5U << 19), slot(5, true, 5U << 19)}) {
    CHECK(none.slot_implemented.is(false));
    CHECK(none.physical_slot_number.is_absent());
    CHECK(none.hot_plug_capable.is_absent());
    CHECK(none.presence_detect.is_absent());
  }
}

TEST_CASE("a missing row in the capability leaves just its registers unknown") {
  ConfigBuilder b(256);
  b.express(2, kRootPort).u32(kX + 0x0c, 0x104).u16(kX + 0x12, 0x84).u32(kX + 0x24, 0x1c0).u16(kX + 0x28, 0x80);
  const auto d = ConfigBuilder::decoded(b.space_without({0x80}));
  REQUIRE(d.express.is_known());
  const auto& e = d.express.value();
  CHECK(e.width.is(8));
  CHECK(e.atomic_routing.is(true));                                            // 0x7c
  CHECK(e.atomic_egress_block == Known<bool>::unknown(Reason::not_in_input));  // 0x80
  CHECK(e.max_speed.is(LinkSpeed::gen4));                                      // 0x84 missing, 0x64 not
  CHECK(e.target_speed == Known<LinkSpeed>::unknown(Reason::not_in_input));
}

TEST_CASE("a dump that ends inside the capability is truncated, not zero") {
  const ConfigBuilder b = ConfigBuilder(256).express(2, kRootPort).u32(kX + 0x0c, 0x104);
  const auto d = ConfigBuilder::decoded(b.space(0x70));
  REQUIRE(d.express.is_known());
  CHECK(d.express.value().max_width.is(16));
  CHECK(d.express.value().atomic_routing == Known<bool>::unknown(Reason::truncated));
  CHECK(d.express.value().atomic_requester_enable == Known<bool>::unknown(Reason::truncated));
}

TEST_CASE("unreadable flags leave everything that depends on version or type unknown") {
  ConfigBuilder b(256);
  b.capability(0x5e, 0).u8(0x34, 0x5c).u8(0x5c, 0x10).u8(0x5d, 0);
  ConfigSpace s;
  for (std::size_t at = 0; at < 256; at += 16) {
    auto row = b.row(at);
    if (at == 0x50) {
      row.present = 0x3fff;
      row.state = HexRow::State::damaged;
    }
    s.add(row);
  }
  const auto d = ConfigBuilder::decoded(s);
  REQUIRE(d.express.is_known());
  CHECK(d.express.value().version == Known<std::uint8_t>::unknown(Reason::damaged));
  CHECK(d.express.value().atomic_routing == Known<bool>::unknown(Reason::damaged));
  CHECK(d.express.value().speed == Known<LinkSpeed>::unknown(Reason::damaged));
}
