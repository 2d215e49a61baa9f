#include <doctest/doctest.h>

#include "config_builder.hpp"

using namespace gpucoop;
using gpucoop::test::ConfigBuilder;
using gpucoop::test::is_unknown_for;

TEST_CASE("an endpoint's header") {
  const auto d = ConfigBuilder().u8(0x08, 0xc8).u8(0x0e, 0x80).u16(0x2c, 0x1458).u16(0x2e, 0x2429).decoded();
  CHECK(d.vendor_id.is(0x1002));
  CHECK(d.device_id.is(0x7551));
  CHECK(d.revision.is(0xc8));
  CHECK(d.class_code.is(0x0300));
  CHECK(d.header_type.is(0));
  CHECK(d.buses.is_absent());
  CHECK(d.subsystem_vendor_id.is(0x1458));
  CHECK(d.subsystem_device_id.is(0x2429));
  CHECK_FALSE(d.lost);
}

TEST_CASE("a bridge's bus numbers, and its subsystem from the capability") {
  ConfigBuilder b;
  b.bridge(0x00, 0x05, 0x0b).u32(0x2c, 0x12345678).capability(0xc0, 0x0d).u16(0xc4, 0x1022).u16(0xc6, 0x1453);
  const auto d = b.decoded();
  CHECK(d.header_type.is(1));
  CHECK(d.buses.is(BusNumbers{0x00, 0x05, 0x0b}));
  CHECK(d.subsystem_vendor_id.is(0x1022));
  CHECK(d.subsystem_device_id.is(0x1453));
  CHECK(ConfigBuilder().bridge(0, 1, 2).decoded().subsystem_vendor_id.is_absent());
}

TEST_CASE("a CardBus bridge has its own places for subsystem and list") {
  ConfigBuilder b;
  b.u8(0x0e, 0x02).u16(0x0a, 0x0607).u8(0x18, 2).u8(0x19, 3).u8(0x1a, 6).u16(0x40, 0x104d).u16(0x42, 0x8100);
  b.u16(0x06, 0x10).u8(0x14, 0xa0).u8(0xa0, 0x01).u16(0xa4, 0x0003);
  const auto d = b.decoded(b.space(256));
  CHECK(d.header_type.is(2));
  CHECK(d.buses.is(BusNumbers{2, 3, 6}));
  CHECK(d.subsystem_vendor_id.is(0x104d));
  CHECK(d.power_state.is("D3hot"));
  CHECK(d.bars.empty());
}

TEST_CASE("an impossible header type is unknown, and so is what hangs on it") {
  const auto d = ConfigBuilder().u8(0x0e, 0x05).decoded();
  CHECK(d.header_type == Known<std::uint8_t>::unknown(Reason::damaged));
  CHECK(d.buses == Known<BusNumbers>::unknown(Reason::damaged));
}

TEST_CASE("BARs: kind, width and whether they have an address") {
  ConfigBuilder b;
  b.u32(0x10, 0x0000000c).u32(0x14, 0x00000078);  // 64-bit prefetchable, above 4 GiB
  b.u32(0x18, 0xfe800000);                        // 32-bit
  b.u32(0x1c, 0x0000e001);                        // I/O
  b.u32(0x20, 0x00000004).u32(0x24, 0);           // 64-bit without an address
  const auto d = b.decoded();
  REQUIRE(d.bars.size() == 4);
  CHECK(d.bars[0].index == 0);
  CHECK(d.bars[0].memory.is(true));
  CHECK(d.bars[0].is64bit.is(true));
  CHECK(d.bars[0].prefetchable.is(true));
  CHECK(d.bars[0].assigned.is(true));
  CHECK(d.bars[0].size == Known<std::uint64_t>::unknown(Reason::not_in_input));
  CHECK(d.bars[1].index == 2);
  CHECK(d.bars[1].is64bit.is(false));
  CHECK(d.bars[1].prefetchable.is(false));
  CHECK(d.bars[1].assigned.is(true));
  CHECK(d.bars[2].index == 3);
  CHECK(d.bars[2].memory.is(false));
  CHECK(d.bars[2].assigned.is(true));
  CHECK(d.bars[3].index == 4);
  CHECK(d.bars[3].assigned.is(false));
}

TEST_CASE("BARs of a bridge are two, and bus numbers are none of them") {
  const auto d = ConfigBuilder().bridge(0, 1, 2).u32(0x14, 0xfc000000).u32(0x1c, 0xffffffff).decoded();
  REQUIRE(d.bars.size() == 1);
  CHECK(d.bars[0].index == 1);
}

TEST_CASE("a BAR that cannot be, and half of one") {
  const auto impossible = ConfigBuilder().u32(0x10, 0xffffffff).decoded();
  REQUIRE(impossible.bars.size() == 1);
  CHECK(impossible.bars[0].memory == Known<bool>::unknown(Reason::damaged));
  const auto last = ConfigBuilder().u32(0x24, 0xfe000004).decoded();
  REQUIRE(last.bars.size() == 1);
  CHECK(last.bars[0].is64bit == Known<bool>::unknown(Reason::damaged));
  const ConfigBuilder b = ConfigBuilder().u32(0x1c, 0x0000000c).u32(0x20, 0x40);
  const auto half = ConfigBuilder::decoded(b.space_without({0x20}));
  REQUIRE_FALSE(half.bars.empty());
  CHECK(half.bars[0].index == 3);
  CHECK(half.bars[0].assigned == Known<bool>::unknown(Reason::not_in_input));
}

TEST_CASE("all ones is a lost device, whose every value is unknown") {
  for (const std::size_t size : {64U, 256U, 4096U}) {
    ConfigSpace s;
    s.assign(std::vector<std::uint8_t>(size, 0xff));
    const auto d = ConfigBuilder::decoded(s);
    CHECK(d.lost);
    CHECK(d.vendor_id == Known<std::uint16_t>::unknown(Reason::device_lost));
    CHECK(is_unknown_for(d.express, Reason::device_lost));
    CHECK(is_unknown_for(d.acs, Reason::device_lost));
    CHECK(d.bars.empty());
    CHECK_FALSE(d.access_denied);
  }
}

TEST_CASE("a virtual function's ids read all ones, and it is not lost") {
  const auto d = ConfigBuilder().u32(0x00, 0xffffffff).u16(0x04, 0x0406).express(2, 0).decoded();
  CHECK_FALSE(d.lost);
  CHECK(d.vendor_id == Known<std::uint16_t>::unknown(Reason::not_in_input));
  CHECK(d.express.is_known());
}

TEST_CASE("a virtual function of which only the first bytes are left is not lost") {
  ConfigSpace s;
  auto row = ConfigBuilder().u32(0x00, 0xffffffff).u32(0x04, 0x00100406).row(0);
  row.present = 0x00ff;
  row.state = HexRow::State::damaged;
  s.add(row);
  CHECK_FALSE(ConfigBuilder::decoded(s).lost);
}

TEST_CASE("nothing read at all is unknown, not lost and not absent") {
  const auto d = ConfigBuilder::decoded(ConfigSpace{});
  CHECK_FALSE(d.lost);
  CHECK(d.vendor_id.is_unknown());
  CHECK(d.buses.is_unknown());
  CHECK(is_unknown_for(d.express, Reason::not_in_input));
}

TEST_CASE("an earlier decoding leaves nothing behind") {
  PciDevice d;
  ConfigBuilder rich;
  rich.express(2, 1).u32(0x10, 0xfe000000).extended(0x100, 0x15).u32(0x104, 0x10).u32(0x108, 0x20);
  decode_config(rich.space(), d);
  REQUIRE(d.resizable_bars.size() == 1);
  decode_config(ConfigBuilder().space(), d);
  CHECK(d.express.is_absent());
  CHECK(d.bars.empty());
  CHECK(d.resizable_bars.empty());
}
