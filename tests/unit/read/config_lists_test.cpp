#include <doctest/doctest.h>

#include "config_builder.hpp"
#include "read/config/capabilities.hpp"

using namespace gpucoop;
using gpucoop::test::ConfigBuilder;
using gpucoop::test::is_unknown_for;
using Offset = Known<std::uint16_t>;

TEST_CASE("both lists are followed to their ends") {
  ConfigBuilder b;
  b.capability(0x48, 0x09, 0x50).capability(0x50, 0x01, 0x58).capability(0x58, 0x10, 0xa0).capability(0xa0, 0x05);
  b.extended(0x100, 0x0b, 0x148).extended(0x148, 0x01, 0x2a0).extended(0x2a0, 0x0d, 0x200).extended(0x200, 0x15);
  const auto c = find_capabilities(b.space());
  CHECK(c.power_management.is(0x50));
  CHECK(c.express.is(0x58));
  CHECK(c.subsystem.is_absent());
  CHECK(c.aer.is(0x148));
  CHECK(c.acs.is(0x2a0));
  CHECK(c.resizable_bar.is(0x200));
  CHECK(c.sriov.is_absent());
  CHECK(c.ari.is_absent());
}

TEST_CASE("of two capabilities with one id the first counts") {
  ConfigBuilder b;
  b.capability(0x50, 0x10, 0x80).capability(0x80, 0x10).extended(0x100, 0x01, 0x140).extended(0x140, 0x01);
  const auto c = find_capabilities(b.space());
  CHECK(c.express.is(0x50));
  CHECK(c.aer.is(0x100));
}

TEST_CASE("64 bytes: a list that cannot be read is unknown for want of rights, no list is absent") {
  const auto denied = ConfigBuilder().express(2, 1).space(64);
  const auto c = find_capabilities(denied);
  CHECK(c.express == Offset::unknown(Reason::no_root));
  CHECK(c.power_management == Offset::unknown(Reason::no_root));
  CHECK(c.acs == Offset::unknown(Reason::no_root));
  const auto d = ConfigBuilder::decoded(denied);
  CHECK(d.access_denied);
  CHECK(is_unknown_for(d.express, Reason::no_root));

  const auto conventional = ConfigBuilder::decoded(ConfigBuilder().space(64));
  CHECK(conventional.express.is_absent());
  CHECK(conventional.acs.is_absent());
  CHECK_FALSE(conventional.access_denied);
}

TEST_CASE("256 bytes: extended capabilities are unknown, not absent") {
  const auto d = ConfigBuilder::decoded(ConfigBuilder().express(2, 4).extended(0x100, 0x0d).space(256));
  CHECK(d.express.is_known());
  CHECK(is_unknown_for(d.acs, Reason::not_in_input));
  CHECK(is_unknown_for(d.aer, Reason::not_in_input));
  CHECK_FALSE(d.access_denied);
}

TEST_CASE("4096 bytes: what the list does not have is absent") {
  const auto d = ConfigBuilder().express(2, 4).decoded();
  CHECK(d.acs.is_absent());
  CHECK(d.sriov.is_absent());
  CHECK(d.ari_next_function.is_absent());
}

TEST_CASE("an extended space that reads all ones is not visible") {
  CHECK(is_unknown_for(ConfigBuilder().express(2, 4).u32(0x100, 0xffffffff).decoded().acs, Reason::not_in_input));
}

TEST_CASE("loops end, and what was not met before them is unknown") {
  ConfigBuilder b;
  b.capability(0x50, 0x01, 0x58).capability(0x58, 0x05, 0x50);
  b.extended(0x100, 0x01, 0x140).extended(0x140, 0x0e, 0x140);
  const auto c = find_capabilities(b.space());
  CHECK(c.power_management.is(0x50));
  CHECK(c.express == Offset::unknown(Reason::damaged));
  CHECK(c.aer.is(0x100));
  CHECK(c.ari.is(0x140));
  CHECK(c.acs == Offset::unknown(Reason::damaged));
}

TEST_CASE("the longest list that fits is followed, every offset once") {
  ConfigBuilder b;
  b.u16(0x06, 0x10).u8(0x34, 0x40);
  for (unsigned at = 0x40; at < 0xfc; at += 4) b.u8(at, 0x05).u8(at + 1, at + 4);
  b.u8(0xfc, 0x10).u8(0xfd, 0);
  for (std::size_t at = 0x100; at < 0xffc; at += 4) b.extended(at, 0x0b, at + 4);
  b.extended(0xffc, 0x0d);
  const auto c = find_capabilities(b.space());
  CHECK(c.express.is(0xfc));
  CHECK(c.acs.is(0xffc));
  const auto d = b.decoded();
  REQUIRE(d.acs.is_known());
  CHECK(d.acs.value().capability.source_validation.is_unknown());  // beyond the last byte
}

TEST_CASE("pointers into the header and entries of all ones break a list") {
  CHECK(find_capabilities(ConfigBuilder().u16(0x06, 0x10).u8(0x34, 0x20).space()).express ==
        Offset::unknown(Reason::damaged));
  CHECK(find_capabilities(ConfigBuilder().capability(0x50, 0xff, 0xff).space()).express ==
        Offset::unknown(Reason::damaged));
  ConfigBuilder b;
  b.express(2, 0).extended(0x100, 0x01, 0x0fc);
  CHECK(find_capabilities(b.space()).acs == Offset::unknown(Reason::damaged));
  b.extended(0x100, 0x01, 0x140).u32(0x140, 0xffffffff);
  CHECK(find_capabilities(b.space()).acs == Offset::unknown(Reason::damaged));
}

TEST_CASE("the low two bits of a pointer are not part of it") {
  CHECK(find_capabilities(ConfigBuilder().u16(0x06, 0x10).u8(0x34, 0x53).u8(0x50, 0x10).space()).express.is(0x50));
}

TEST_CASE("a list that leads into a missing row is unknown from there") {
  ConfigBuilder b(256);
  b.capability(0x50, 0x01, 0x80).capability(0x80, 0x10);
  const auto c = find_capabilities(b.space_without({0x80}));
  CHECK(c.power_management.is(0x50));
  CHECK(c.express == Offset::unknown(Reason::not_in_input));
  CHECK(find_capabilities(b.space(0x70)).express == Offset::unknown(Reason::truncated));
}

TEST_CASE("a missing status register leaves even the existence of the list open") {
  const auto d = ConfigBuilder::decoded(ConfigBuilder(256).space_without({0x00}));
  CHECK(is_unknown_for(d.express, Reason::not_in_input));
  CHECK(d.vendor_id == Known<std::uint16_t>::unknown(Reason::not_in_input));
}
