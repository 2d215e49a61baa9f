#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

FirmwareSlot slot(const std::string& name, Known<Address> address, std::uint8_t width = 16, std::uint16_t id = 0) {
  FirmwareSlot s;
  s.designation = name;
  s.address = std::move(address);
  s.width = width;
  s.slot_id = id;
  return s;
}

/// One GPU on processor lanes, one behind the chipset's switch.
Host two_gpus() {
  Host host;
  host.bridge("00:01.1", 1, 1, PortType::root_port);
  host.gpu("01:00.0");
  host.bridge("00:02.1", 4, 8, PortType::root_port);
  host.bridge("04:00.0", 5, 8, PortType::switch_upstream);
  const LinkWords narrow{LinkSpeed::gen4, 4, LinkSpeed::gen4, 4};
  host.bridge("05:09.0", 8, 8, PortType::switch_downstream, narrow);
  host.gpu("08:00.0", 0x1002, 0x67df, {LinkSpeed::gen4, 4, LinkSpeed::gen4, 16});
  return host;
}

std::string evidence(const Topology& t, const char* gpu) { return fact_of(t, "slot.name", gpu)->evidence; }

}  // namespace

TEST_CASE("firmware slots are matched by the address of the port or of the card, then by bus, then by number") {
  auto host = two_gpus();
  SUBCASE("the port") {
    host.recording.host.slots = std::vector{slot("PCIEX16_1", at("00:01.1")), slot("PCIEX16_2", at("05:09.0"))};
    const auto t = host.judge();
    CHECK(evidence(t, "01:00.0") == "the firmware says PCIEX16_1 (by address)");
    CHECK(evidence(t, "08:00.0") == "the firmware says PCIEX16_2 (by address)");
    CHECK(gpu_at(t, "08:00.0").slot.is("PCIEX16_2"));
    CHECK(gpu_at(t, "08:00.0").slot_claim == "by address");
  }
  SUBCASE("the card") {
    host.recording.host.slots = std::vector{slot("PCIEX16_1", at("01:00.0"))};
    const auto t = host.judge();
    CHECK(evidence(t, "01:00.0") == "the firmware says PCIEX16_1 (by address)");
    CHECK(gpu_at(t, "08:00.0").slot.is_unknown());
  }
  SUBCASE("another function on its bus") {
    host.recording.host.slots = std::vector{slot("PCIEX16_2", at("08:1f.7"))};
    CHECK(evidence(host.judge(), "08:00.0") == "the firmware says PCIEX16_2 (by bus)");
  }
  SUBCASE("the port's number") {
    host.set("05:09.0", [](PciExpress& e) {
      e.slot_implemented = true;
      e.physical_slot_number = std::uint16_t{9};
    });
    host.recording.host.slots = std::vector{slot("PCIEX16_2", Known<Address>::absent(), 4, 9)};
    const auto t = host.judge();
    CHECK(evidence(t, "08:00.0") == "the firmware says PCIEX16_2 (by slot number)");
    CHECK(gpu_at(t, "08:00.0").slot.is("PCIEX16_2"));
  }
  SUBCASE("ports further up belong to the board") {
    host.recording.host.slots = std::vector{slot("M2_1", at("00:02.1")), slot("M2_2", at("04:00.0"))};
    CHECK(gpu_at(host.judge(), "08:00.0").slot.is_unknown());
  }
}

TEST_CASE("a firmware slot that two cards come to, or two slots for one card, name nothing") {
  auto host = two_gpus();
  SUBCASE("one slot, two cards") {
    host.bridge("05:0a.0", 7, 7, PortType::switch_downstream);
    host.gpu("07:00.0");
    for (const auto* port : {"05:09.0", "05:0a.0"}) {
      host.set(port, [](PciExpress& e) {
        e.slot_implemented = true;
        e.physical_slot_number = std::uint16_t{3};
      });
    }
    host.recording.host.slots = std::vector{slot("STALE", Known<Address>::absent(), 16, 3)};
    const auto t = host.judge();
    CHECK(gpu_at(t, "07:00.0").slot.is("3"));
    CHECK(gpu_at(t, "08:00.0").slot.is("3"));
  }
  SUBCASE("two slots, one card") {
    host.recording.host.slots = std::vector{slot("A", at("01:00.0")), slot("B", at("00:01.1"))};
    CHECK(gpu_at(host.judge(), "01:00.0").slot.is_unknown());
  }
}

TEST_CASE("the firmware's lanes are named where the link is narrower than the card") {
  auto host = two_gpus();
  host.recording.host.slots = std::vector{slot("PCIEX16_2", at("05:09.0"), 4), slot("PCIEX16_1", at("00:01.1"))};
  auto t = host.judge();
  CHECK(gpu_at(t, "08:00.0").link.why.find("The firmware lists the slot (PCIEX16_2, by address) with 4 lanes.") !=
        std::string::npos);
  CHECK(gpu_at(t, "01:00.0").link.why.find("firmware") == std::string::npos);
  host.recording.host.slots = std::vector{slot("PCIEX16_2", at("05:09.0"), 16)};
  t = host.judge();
  CHECK(gpu_at(t, "08:00.0").link.why.find("with 16 lanes, more than are in use.") != std::string::npos);
}

TEST_CASE("a kernel without p2pdma lends no GPU's memory, except NVIDIA's driver") {
  auto host = two_gpus();
  host.recording.host.cpu_vendor = std::string("AuthenticAMD");
  host.recording.host.cpu_family = 0x19U;
  host["01:00.0"].bars.push_back({0, std::uint64_t{32} << 30, true, true, true, true});
  host["08:00.0"].bars = host["01:00.0"].bars;
  CHECK(pair_of(host.judge(), "01:00.0", "08:00.0").peer == PeerExpectation::likely);
  host.recording.host.config_p2pdma = true;
  host.recording.host.config_hsa_amd_p2p = true;
  CHECK(pair_of(host.judge(), "01:00.0", "08:00.0").peer == PeerExpectation::likely);
  SUBCASE("no CONFIG_PCI_P2PDMA") { host.recording.host.config_p2pdma = false; }
  SUBCASE("no CONFIG_HSA_AMD_P2P") { host.recording.host.config_hsa_amd_p2p = false; }
  SUBCASE("the parameter is off") { host.recording.host.amdgpu_pcie_p2p = false; }
  CHECK(pair_of(host.judge(), "01:00.0", "08:00.0").peer == PeerExpectation::not_expected);
  for (const auto* gpu : {"01:00.0", "08:00.0"}) host[gpu].vendor_id = std::uint16_t{0x10de};
  CHECK(pair_of(host.judge(), "01:00.0", "08:00.0").peer == PeerExpectation::likely);
}

TEST_CASE("device nodes that may not be opened are named with the group that may") {
  auto host = two_gpus();
  DeviceNode kfd{"/dev/kfd", 0660U, false, Known<Address>::absent(), std::string("render")};
  DeviceNode own{"/dev/dri/renderD128", 0660U, true, at("01:00.0"), std::string("render")};
  host.recording.host.nodes = {kfd, own};
  auto t = host.judge();
  CHECK(fact_of(t, "gpu.node_access", "01:00.0")->value.is(FactValue(false)));
  CHECK(std::count_if(t.warnings.begin(), t.warnings.end(),
                      [](const Warning& w) { return w.code == "host.node-access"; }) == 1);
  host.recording.host.nodes[0].may_open = true;
  t = host.judge();
  CHECK(fact_of(t, "gpu.node_access", "01:00.0")->value.is(FactValue(true)));
  CHECK_FALSE(warns(t, "host.node-access"));
  host.recording.host.nodes.clear();
  CHECK(fact_of(host.judge(), "gpu.node_access", "01:00.0")->value.is_unknown());
}

TEST_CASE("errors that the kernel has counted on the way to a GPU are a finding") {
  auto host = two_gpus();
  AerCounters counters;
  counters.correctable = std::uint64_t{0};
  counters.non_fatal = std::uint64_t{0};
  counters.fatal = std::uint64_t{0};
  host["01:00.0"].aer_counters = counters;
  auto t = host.judge();
  CHECK(fact_of(t, "link.errors", "01:00.0")->value.is(FactValue(0.0)));
  CHECK(fact_of(t, "link.errors", "08:00.0")->value.is_unknown());
  CHECK_FALSE(warns(t, "link.errors"));
  counters.correctable = std::uint64_t{712};
  host["00:01.1"].aer_counters = counters;
  t = host.judge();
  const auto* fact = fact_of(t, "link.errors", "01:00.0");
  CHECK(fact->value.is(FactValue(712.0)));
  CHECK(fact->at == std::vector{at("00:01.1")});
  CHECK(warns(t, "link.errors"));
}
