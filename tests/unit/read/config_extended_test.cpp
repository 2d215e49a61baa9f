#include <doctest/doctest.h>

#include "config_builder.hpp"

using namespace gpucoop;
using gpucoop::test::ConfigBuilder;

TEST_CASE("each ACS bit, in capability and control apart") {
  Known<bool> AcsBits::*const fields[] = {&AcsBits::source_validation,   &AcsBits::translation_blocking,
                                          &AcsBits::request_redirect,    &AcsBits::completion_redirect,
                                          &AcsBits::upstream_forwarding, &AcsBits::egress_control,
                                          &AcsBits::direct_translated};
  for (std::size_t set = 0; set < std::size(fields); ++set) {
    ConfigBuilder b;
    b.express(2, 4).extended(0x2a0, 0x0d).extended(0x100, 0x0b, 0x2a0);
    const auto capability = b.u16(0x2a4, 1U << set).u16(0x2a6, 0).decoded();
    const auto control = b.u16(0x2a4, 0).u16(0x2a6, 1U << set).decoded();
    REQUIRE(capability.acs.is_known());
    for (std::size_t i = 0; i < std::size(fields); ++i) {
      CAPTURE(set);
      CAPTURE(i);
      CHECK((capability.acs.value().capability.*fields[i]).is(i == set));
      CHECK((capability.acs.value().control.*fields[i]).is(false));
      CHECK((control.acs.value().control.*fields[i]).is(i == set));
      CHECK((control.acs.value().capability.*fields[i]).is(false));
    }
  }
}

TEST_CASE("the isolation value of a kernel with an IOMMU: redirects on, translation blocking off") {
  const auto d = ConfigBuilder().express(2, 6).extended(0x100, 0x0d).u16(0x104, 0x005f).u16(0x106, 0x001d).decoded();
  REQUIRE(d.acs.is_known());
  const auto& control = d.acs.value().control;
  CHECK(control.source_validation.is(true));
  CHECK(control.translation_blocking.is(false));
  CHECK(control.request_redirect.is(true));
  CHECK(control.completion_redirect.is(true));
  CHECK(control.upstream_forwarding.is(true));
  CHECK(control.egress_control.is(false));
}

TEST_CASE("ACS in a row that is missing is unknown, although the capability is there") {
  ConfigBuilder b;
  b.express(2, 6).extended(0x100, 0x01, 0x15c).extended(0x15c, 0x0d).u16(0x160, 0x5f).u16(0x166, 0x1d);
  const auto d = ConfigBuilder::decoded(b.space_without({0x160}));
  REQUIRE(d.acs.is_known());
  CHECK(d.acs.value().capability.request_redirect == Known<bool>::unknown(Reason::not_in_input));
  CHECK(d.acs.value().control.request_redirect == Known<bool>::unknown(Reason::not_in_input));
}

TEST_CASE("AER status words") {
  ConfigBuilder b;
  b.express(2, 6).extended(0x100, 0x01).u32(0x104, 0x01200000).u32(0x108, 0x11111111).u32(0x110, 0x2041);
  const auto d = b.decoded();
  REQUIRE(d.aer.is_known());
  CHECK(d.aer.value().uncorrectable.is(0x01200000));
  CHECK(d.aer.value().correctable.is(0x2041));
}

TEST_CASE("SR-IOV registers") {
  ConfigBuilder b;
  b.express(2, 0).extended(0x100, 0x10).u16(0x108, 0x0009).u16(0x10c, 16).u16(0x10e, 31).u16(0x110, 4);
  b.u16(0x114, 128).u16(0x116, 2).u16(0x11a, 0x56c1);
  const auto d = b.decoded();
  REQUIRE(d.sriov.is_known());
  CHECK(d.sriov.value().enabled.is(true));
  CHECK(d.sriov.value().total_vfs.is(31));
  CHECK(d.sriov.value().num_vfs.is(4));
  CHECK(d.sriov.value().vf_offset.is(128));
  CHECK(d.sriov.value().vf_stride.is(2));
  CHECK(d.sriov.value().vf_device_id.is(0x56c1));
  CHECK(b.u16(0x108, 0xfffe).decoded().sriov.value().enabled.is(false));
}

TEST_CASE("ARI's next function") {
  CHECK(ConfigBuilder().express(2, 0).extended(0x100, 0x0e).u16(0x104, 0x0503).decoded().ari_next_function.is(5));
}

TEST_CASE("Resizable BARs: index, current size, all supported sizes, and the BAR takes the size") {
  ConfigBuilder b;
  b.express(2, 1).u32(0x10, 0x0000000c).u32(0x14, 0x78).u32(0x18, 0x0000000c).u32(0x1c, 0x7c);
  b.extended(0x200, 0x15).extended(0x100, 0x0b, 0x200);
  // BAR 0: 256 MiB to 32 GiB supported, 32 GiB now. BAR 2: 2 and 256 MiB, 256 MiB now.
  b.u32(0x204, 0x000ff000).u32(0x208, 15U << 8 | 2U << 5 | 0).u32(0x20c, 0x00001020).u32(0x210, 8U << 8 | 2);
  const auto d = b.decoded();
  constexpr std::uint64_t kMiB = 1ULL << 20;
  REQUIRE(d.resizable_bars.size() == 2);
  CHECK(d.resizable_bars[0].index == 0);
  CHECK(d.resizable_bars[0].size.is(32768 * kMiB));
  CHECK(d.resizable_bars[0].supported == std::vector<std::uint64_t>{256 * kMiB, 512 * kMiB, 1024 * kMiB, 2048 * kMiB,
                                                                    4096 * kMiB, 8192 * kMiB, 16384 * kMiB,
                                                                    32768 * kMiB});
  CHECK(d.resizable_bars[1].index == 2);
  CHECK(d.resizable_bars[1].size.is(256 * kMiB));
  CHECK(d.resizable_bars[1].supported == std::vector<std::uint64_t>{2 * kMiB, 256 * kMiB});
  REQUIRE(d.bars.size() == 2);
  CHECK(d.bars[0].size.is(32768 * kMiB));
  CHECK(d.bars[1].size.is(256 * kMiB));
}

TEST_CASE("the smallest and the largest size that Resizable BAR can state") {
  ConfigBuilder b;
  b.express(2, 1).extended(0x100, 0x15).u32(0x104, 0x80000010).u32(0x108, 0x80010000 | 43U << 8 | 1U << 5);
  const auto d = b.decoded();
  REQUIRE(d.resizable_bars.size() == 1);
  CHECK(d.resizable_bars[0].supported == std::vector<std::uint64_t>{1ULL << 20, 1ULL << 47, 1ULL << 48, 1ULL << 63});
  CHECK(d.resizable_bars[0].size.is(1ULL << 63));
}

TEST_CASE("Resizable BAR values out of specification are left out or unknown") {
  const auto with = [](std::uint32_t control) {
    return ConfigBuilder().express(2, 1).extended(0x100, 0x15).u32(0x104, 0x10).u32(0x108, control).decoded();
  };
  CHECK(with(7U << 5).resizable_bars.empty());
  CHECK(with(1U << 5 | 6).resizable_bars.empty());
  CHECK(with(0).resizable_bars.empty());
  REQUIRE(with(1U << 5 | 44U << 8).resizable_bars.size() == 1);
  CHECK(with(1U << 5 | 44U << 8).resizable_bars[0].size == Known<std::uint64_t>::unknown(Reason::damaged));
  ConfigBuilder end;
  end.express(2, 1).extended(0x100, 0x0b, 0xff8).extended(0xff8, 0x15).u32(0xffc, 0x10);
  CHECK(end.decoded().resizable_bars.empty());
}

TEST_CASE("power states") {
  const char* const names[] = {"D0", "D1", "D2", "D3hot"};
  for (unsigned code = 0; code < 4; ++code) {
    CHECK(ConfigBuilder().capability(0x50, 0x01).u16(0x54, 0x2108 | code).decoded().power_state.is(names[code]));
  }
  CHECK(ConfigBuilder().decoded().power_state.is_absent());
  CHECK(ConfigBuilder::decoded(ConfigBuilder().capability(0x50, 0x01).space(64)).power_state ==
        Known<std::string>::unknown(Reason::no_root));
}
