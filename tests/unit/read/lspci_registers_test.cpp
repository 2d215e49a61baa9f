#include "lspci_reading.hpp"

using namespace gpucoop;
using namespace gpucoop::reading;

namespace {

/// One device with the given register lines below an Express capability.
Recording with_registers(const std::string& lines, const std::string& express_line = "Express (v2) Endpoint, MSI 00") {
  return read(
      "01:00.0 VGA compatible controller: NVIDIA Corporation Device 2204\n\tControl: I/O- Mem+\n\tCapabilities: [78] " +
      express_line + "\n" + lines);
}

}  // namespace

TEST_CASE("a root port's registers are read") {
  const auto r = read(kTwoDevices);
  const auto& d = device(r, "00:01.0");
  const auto& e = express(r, "00:01.0");
  CHECK(e.version.is(2));
  CHECK(e.type.is(PortType::root_port));
  CHECK(e.slot_implemented.is(true));
  CHECK(e.max_payload_supported.is(512));
  CHECK(e.max_payload.is(256));
  CHECK(e.max_read_request.is(512));
  CHECK(e.correctable_error.is(false));
  CHECK(e.non_fatal_error.is(true));
  CHECK(e.unsupported_request.is(true));
  CHECK(e.max_width.is(16));
  CHECK(e.speed.is(LinkSpeed::gen3));
  CHECK(e.width.is(8));
  CHECK(e.dll_active.is(true));
  CHECK(e.bandwidth_management.is(true));
  CHECK(e.autonomous_bandwidth.is(false));
  CHECK(e.link_training.is(false));
  CHECK(e.link_disabled.is(false));
  CHECK(e.target_speed.is(LinkSpeed::gen4));
  CHECK(e.physical_slot_number.is(12));
  CHECK(e.slot_power_limit_watts.is(75.0));
  CHECK(e.hot_plug_surprise.is(true));
  CHECK(e.hot_plug_capable.is(false));
  CHECK(e.presence_detect.is(true));
  CHECK(e.ari_forwarding.is(true));
  CHECK(e.atomic_routing.is(false));
  CHECK(e.atomic_completer32.is(true));
  CHECK(e.atomic_completer64.is(true));
  CHECK(e.atomic_completer128.is(false));
  CHECK(e.atomic_requester_enable.is(false));
  CHECK(e.atomic_egress_block.is(false));
  REQUIRE(d.acs.is_known());
  CHECK(d.acs.value().capability.direct_translated.is(true));
  CHECK(d.acs.value().control.request_redirect.is(true));
  CHECK(d.acs.value().control.completion_redirect.is(false));
  REQUIRE(d.aer.is_known());
  CHECK(d.aer.value().uncorrectable.is(0x204000));
  CHECK(d.aer.value().correctable.is(1));
  CHECK(d.power_state.is("D0"));
}

TEST_CASE("the highest supported speed comes from Link Capabilities 2 where it is printed") {
  const auto r = read(kTwoDevices);
  CHECK(express(r, "00:01.0").max_speed.is(LinkSpeed::gen5));
  CHECK(express(r, "0b:00.0").max_speed.is(LinkSpeed::gen5));
}

TEST_CASE("an endpoint's registers are read, and what its line does not hold is not printed") {
  const auto r = read(kTwoDevices);
  const auto& d = device(r, "0b:00.0");
  const auto& e = express(r, "0b:00.0");
  CHECK(e.type.is(PortType::legacy_endpoint));
  CHECK(e.slot_implemented.is(false));
  CHECK(e.presence_detect.is_absent());
  CHECK(e.atomic_requester_enable.is(true));
  CHECK(unknown_because(e.atomic_routing, Reason::not_printed));
  CHECK(unknown_because(e.atomic_egress_block, Reason::not_printed));
  CHECK(d.ari_next_function.is(1));
  CHECK(d.acs.is_absent());
  CHECK(d.sriov.is_absent());
  REQUIRE(d.resizable_bars.size() == 2);
  CHECK(d.resizable_bars[0].size.is(std::uint64_t{32} << 30));
  CHECK(d.resizable_bars[0].supported.size() == 4);
  CHECK(d.resizable_bars[1].supported.front() == std::uint64_t{2} << 20);
}

TEST_CASE("link lines of every age") {
  SUBCASE("3.5: one line with commas") {
    const auto r = with_registers(
        "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16, ASPM L1, Exit Latency L0s <64ns, L1 <1us\n"
        "\t\tDevSta:\tCorrErr+ UncorrErr- FatalErr- UnsuppReq+ AuxPwr- TransPend-\n"
        "\t\tLnkSta:\tSpeed 2.5GT/s, Width x16, TrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt+\n");
    const auto& e = express(r, "01:00.0");
    CHECK(e.speed.is(LinkSpeed::gen1));
    CHECK(e.width.is(16));
    CHECK(e.autonomous_bandwidth.is(true));
    CHECK(e.non_fatal_error.is(false));
    CHECK(e.unsupported_request.is(true));
  }
  SUBCASE("3.6: words in parentheses mean nothing") {
    const auto r = with_registers("\t\tLnkSta:\tSpeed 2.5GT/s (ok), Width x1 (strange)\n\t\t\tTrErr- Train+\n");
    CHECK(express(r, "01:00.0").speed.is(LinkSpeed::gen1));
    CHECK(express(r, "01:00.0").width.is(1));
    CHECK(express(r, "01:00.0").link_training.is(true));
  }
  SUBCASE("3.11: LnkDisable, IntMsgNum") {
    const auto r = with_registers("\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, LnkDisable+ CommClk-\n",
                                  "Express (v2) Downstream Port (Slot-), IntMsgNum 0");
    CHECK(express(r, "01:00.0").link_disabled.is(true));
    CHECK(express(r, "01:00.0").type.is(PortType::switch_downstream));
    CHECK(express(r, "01:00.0").slot_implemented.is(false));
  }
  SUBCASE("generation 6") {
    const auto r = with_registers("\t\tLnkSta:\tSpeed 64GT/s, Width x16\n");
    CHECK(express(r, "01:00.0").speed.is(LinkSpeed::gen6));
  }
  SUBCASE("a link that is down") {
    const auto r = with_registers("\t\tLnkSta:\tSpeed unknown, Width x0\n");
    CHECK(express(r, "01:00.0").width.is(0));
    CHECK(unknown_because(express(r, "01:00.0").speed, Reason::not_printed));
  }
}

TEST_CASE("an impossible width is unknown and warned of with its place") {
  const auto r = with_registers("\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x99\n\t\tLnkSta:\tSpeed 3GT/s, Width x3\n");
  const auto& e = express(r, "01:00.0");
  CHECK(unknown_because(e.max_width, Reason::damaged));
  CHECK(unknown_because(e.width, Reason::damaged));
  CHECK(unknown_because(e.speed, Reason::damaged));
  CHECK(warned_at(r, "input.damaged") == "host.txt:4");
}

TEST_CASE("no AtomicOps lines from an lspci that cannot print them") {
  const auto r = with_registers(
      "\t\tDevCap2: Completion Timeout: Not Supported, TimeoutDis-, LTR+, OBFF Not Supported\n"
      "\t\tDevCtl2: Completion Timeout: 50us to 50ms, TimeoutDis-, LTR-, OBFF Disabled\n"
      "\t\tLnkCtl2: Target Link Speed: 8GT/s\n");
  const auto& e = express(r, "01:00.0");
  CHECK(unknown_because(e.atomic_completer32, Reason::not_printed));
  CHECK(unknown_because(e.atomic_requester_enable, Reason::not_printed));
}

TEST_CASE("AtomicOps words count only after their own label") {
  const auto r = with_registers(
      "\t\tDevCap2: Completion Timeout: Range B, TimeoutDis+ Routing+ 32bit+ 64bit+\n"
      "\t\tDevCtl2: Completion Timeout: 50us, ReqEn+ EgressBlck+\n");
  const auto& e = express(r, "01:00.0");
  CHECK_FALSE(e.atomic_routing.is_known());
  CHECK_FALSE(e.atomic_completer32.is_known());
  CHECK_FALSE(e.atomic_requester_enable.is_known());
}

TEST_CASE("a version 1 capability has no second registers") {
  const auto r = with_registers("\t\tLnkSta:\tSpeed 2.5GT/s, Width x16\n", "Express (v1) Endpoint, MSI 00");
  CHECK(express(r, "01:00.0").atomic_requester_enable.is_absent());
  CHECK(express(r, "01:00.0").target_speed.is_absent());
}

TEST_CASE("an integrated endpoint has no link") {
  const auto r = with_registers("\t\tDevSta:\tCorrErr-\n", "Express (v2) Root Complex Integrated Endpoint, MSI 00");
  CHECK(express(r, "01:00.0").type.is(PortType::integrated_endpoint));
  CHECK(express(r, "01:00.0").speed.is_absent());
  CHECK(express(r, "01:00.0").width.is_absent());
}

TEST_CASE("SR-IOV: its numbers are read and its regions are not the device's") {
  const auto r = with_registers(
      "\tCapabilities: [160 v1] Single Root I/O Virtualization (SR-IOV)\n"
      "\t\tIOVCap:\tMigration- 10BitTagReq- Interrupt Message Number: 000\n"
      "\t\tIOVCtl:\tEnable+ Migration- Interrupt- MSE+ ARIHierarchy+\n"
      "\t\tInitial VFs: 16, Total VFs: 8, Number of VFs: 4, Function Dependency Link: 00\n"
      "\t\tVF offset: 128, stride: 2, Device ID: 740f\n"
      "\t\tRegion 0: Memory at 00000380fc000000 (64-bit, prefetchable)\n");
  const auto& d = device(r, "01:00.0");
  REQUIRE(d.sriov.is_known());
  CHECK(d.sriov.value().enabled.is(true));
  CHECK(d.sriov.value().total_vfs.is(8));
  CHECK(d.sriov.value().num_vfs.is(4));
  CHECK(d.sriov.value().vf_offset.is(128));
  CHECK(d.sriov.value().vf_stride.is(2));
  CHECK(d.sriov.value().vf_device_id.is(0x740f));
  CHECK(d.bars.empty());
}

TEST_CASE("an undecoded extended capability is not absent") {
  const auto r = with_registers("\tCapabilities: [100 v1] Virtual Channel\n\tCapabilities: [2a0 v1] #0d\n");
  CHECK(unknown_because(device(r, "01:00.0").acs, Reason::not_printed));
  CHECK(device(r, "01:00.0").sriov.is_absent());
}

TEST_CASE("a text that ends in the middle leaves the rest unknown") {
  SUBCASE("in a number") {
    const auto r = with_registers("\t\tLnkSta:\tSpeed 16GT/s, Width x1");
    CHECK(express(r, "01:00.0").speed.is(LinkSpeed::gen4));
    CHECK(unknown_because(express(r, "01:00.0").width, Reason::truncated));
    CHECK(warns(r, "input.truncated"));
  }
  SUBCASE("after a whole word") {
    const auto r = with_registers("\t\tLnkSta:\tSpeed 16GT/s, Width x16");
    CHECK(express(r, "01:00.0").width.is(16));
  }
  SUBCASE("in a flag") {
    const auto r = with_registers(
        "\tCapabilities: [2a0 v1] Access Control Services\n\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+\n"
        "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ Upstream");
    const auto& control = device(r, "01:00.0").acs.value().control;
    CHECK(control.completion_redirect.is(true));
    CHECK(unknown_because(control.upstream_forwarding, Reason::truncated));
  }
  SUBCASE("before the registers that matter") {
    const auto r = with_registers("\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L0");
    CHECK(express(r, "01:00.0").max_width.is(16));
    CHECK(unknown_because(express(r, "01:00.0").width, Reason::truncated));
    CHECK(unknown_because(express(r, "01:00.0").atomic_requester_enable, Reason::truncated));
  }
}

TEST_CASE("sentences between the lines change nothing") {
  const auto r = with_registers(
      "\t\tLnkSta:\tSpeed 8GT/s, Width x8\n\t\t\tTrErr- Train-\n"
      "It should be Speed 16GT/s, Width x16 DLActive+\n");
  CHECK(express(r, "01:00.0").speed.is(LinkSpeed::gen3));
  CHECK(express(r, "01:00.0").width.is(8));
}
