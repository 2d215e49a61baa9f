#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "read/xml/xml.hpp"

using namespace gpucoop;

namespace {

/// Two packages with a node each; a switch with two GPUs on the first, a GPU on the second.
std::string topology(const std::string& end) {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" nodeset="0x00000003">
    <info name="DMIBoardVendor" value="Maker"/>
    <info name="DMIBoardName" value="Board-1"/>
    <info name="DMIProductSerial" value="S3CR3T"/>
    <info name="HostName" value="myhost"/>
    <info name="OSRelease" value="6.12.63"/>
    <object type="Package" os_index="0" nodeset="0x00000001" gp_index="3">
      <info name="CPUVendor" value="AuthenticAMD"/>
      <info name="CPUFamilyNumber" value="25"/>
      <info name="CPUModelNumber" value="17"/>
      <object type="NUMANode" os_index="0" nodeset="0x00000001" gp_index="4"/>
      <object type="Bridge" gp_index="20" bridge_type="0-1" depth="0" bridge_pci="0000:[00-06]">
        <object type="Bridge" gp_index="21" bridge_type="1-1" depth="1" bridge_pci="0000:[01-05]" pci_busid="0000:00:01.1" pci_type="0604 [1022:14ab] [0000:0000] 00 00" pci_link_speed="31.507692">
          <info name="PCISlot" value="5"/>
          <object type="Bridge" gp_index="22" bridge_type="1-1" depth="2" bridge_pci="0000:[02-05]" pci_busid="0000:01:00.0" pci_type="0604 [1000:c010] [1000:0100] b0" pci_link_speed="0.000000">
            <object type="PCIDev" gp_index="30" name="ignored" pci_busid="0000:03:00.0" pci_type="0302 [10de:20b5] [10de:1533] a1 00" pci_link_speed="31.507692">
              <info name="PCIVendor" value="NVIDIA Corporation"/>
              <info name="PCIDevice" value="GA100"/>
              <object type="OSDev" gp_index="40" name="cuda0" osdev_type="5"/>
              <object type="OSDev" gp_index="41" name="nvml0" osdev_type="5"/>
            </object>
            <object type="PCIDev" gp_index="31" pci_busid="0000:04:00.0" pci_type="0302 [10de:20b5] [10de:1533] a1">
              <object type="OSDev" gp_index="42" name="nvml1" osdev_type="5"/>
            </object>
          </object>
        </object>
        <object type="PCIDev" gp_index="33" pci_busid="0000:06:00.0" pci_type="0680 [10de:1af1] [10de:1af1] a1"/>
      </object>
    </object>
    <object type="Package" os_index="1" nodeset="0x00000002" gp_index="5">
      <object type="NUMANode" os_index="1" nodeset="0x00000002" gp_index="6"/>
      <object type="Bridge" gp_index="23" bridge_type="0-1" depth="0" bridge_pci="0001:[80-81]">
        <object type="PCIDev" gp_index="32" pci_busid="0001:81:00.0" pci_type="0302 [10de:20b5] [10de:1533] a1">
          <object type="OSDev" gp_index="43" name="nvml2" osdev_type="5"/>
        </object>
      </object>
    </object>
  </object>
)" + end +
         "</topology>\n";
}

Recording read(const std::string& xml) {
  auto result = read_hwloc_xml("host.xml", xml);
  REQUIRE(result.ok());
  return std::move(result).value();
}

const PciDevice& device(const Recording& recording, const char* address) {
  const PciDevice* found = find_device(recording, *parse_address(address));
  REQUIRE(found != nullptr);
  return *found;
}

const FabricLink* link(const Recording& recording, const char* a, const char* b) {
  for (const FabricLink& l : recording.fabric) {
    if (l.a == *parse_address(a) && l.b == *parse_address(b)) return &l;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("hwloc: bridges, devices, locality and what is said about the host") {
  const Recording r = read(topology(""));
  CHECK(r.sources.at(0).kind == SourceKind::hwloc_xml);
  CHECK(r.sources.at(0).file == "host.xml");
  CHECK(r.lists_devices);
  CHECK_FALSE(r.listing_complete.is_known());
  CHECK(r.devices.size() == 6);
  CHECK(std::is_sorted(r.devices.begin(), r.devices.end(),
                       [](const auto& a, const auto& b) { return a.address < b.address; }));

  const PciDevice& port = device(r, "00:01.1");
  CHECK(port.header_type.is(1));
  CHECK(port.stated_parent.is_absent());
  CHECK(port.stated_root_bus.is(0));
  CHECK(port.buses.is(BusNumbers{0, 1, 5}));
  CHECK(port.physical_slot.is("5"));
  CHECK(port.stated_link_gbytes_per_s.value_or(0) == doctest::Approx(31.507692));

  const PciDevice& upstream = device(r, "01:00.0");
  CHECK(upstream.stated_parent.is(*parse_address("00:01.1")));
  CHECK(upstream.stated_link_gbytes_per_s.is_unknown());
  CHECK(upstream.revision.is(0xb0));

  const PciDevice& gpu = device(r, "03:00.0");
  CHECK(gpu.stated_parent.is(*parse_address("01:00.0")));
  CHECK_FALSE(gpu.parent_skips_levels);
  CHECK(gpu.class_code.is(0x0302));
  CHECK(gpu.vendor_id.is(0x10de));
  CHECK(gpu.device_id.is(0x20b5));
  CHECK(gpu.subsystem_device_id.is(0x1533));
  CHECK(gpu.revision.is(0xa1));
  CHECK(gpu.name.is("NVIDIA Corporation GA100"));
  CHECK(gpu.numa_node.is(0));
  CHECK(gpu.package.is(0));
  CHECK(gpu.places.at(0).line == 19);
  CHECK(gpu.express.is_unknown());
  CHECK(device(r, "0001:81:00.0").numa_node.is(1));
  CHECK(device(r, "0001:81:00.0").package.is(1));
  CHECK(device(r, "0001:81:00.0").stated_root_bus.is(0x80));

  CHECK(r.host.kernel.is("6.12.63"));
  CHECK(r.host.board.is("Maker Board-1"));
  CHECK(r.host.cpu_vendor.is("AuthenticAMD"));
  CHECK(r.host.cpu_family.is(25));
  CHECK(r.host.cpu_model.is(17));
}

TEST_CASE("hwloc: direct links, over OS devices, packages left out") {
  const Recording r = read(topology(R"(
  <distances2hetero nbobjs="4" kind="25" name="NVLinkBandwidth">
    <indexes length="30">OSDev:41 OSDev:42 </indexes><indexes length="30">OSDev:43 Package:3 </indexes>
    <u64values length="10">1000000 100000 0 25000 50000 1000000 </u64values>
    <u64values length="10">0 0 0 0 1000000 0 25000 0 0 1000000 </u64values>
  </distances2hetero>
)"));
  CHECK(r.fabric.size() == 2);
  const FabricLink* there = link(r, "03:00.0", "04:00.0");
  REQUIRE(there != nullptr);
  CHECK(there->kind == FabricLink::Kind::nvlink);
  CHECK(there->gbytes_per_s.is(100.0));
  CHECK(there->links.is_unknown());
  CHECK(link(r, "04:00.0", "03:00.0")->gbytes_per_s.is(50.0));
  CHECK(link(r, "03:00.0", "0001:81:00.0") == nullptr);
}

TEST_CASE("hwloc: a switch joins the GPUs that reach it, at the smaller of both rates") {
  const Recording r = read(topology(R"(
  <distances2hetero nbobjs="4" kind="25" name="NVLinkBandwidth">
    <indexes>OSDev:41 OSDev:42 OSDev:43 PCIDev:33</indexes>
    <u64values>0 0 0 75000 0 0 0 50000 0 0 0 0 75000 50000 0 0</u64values>
  </distances2hetero>
)"));
  CHECK(r.fabric.size() == 2);
  REQUIRE(link(r, "03:00.0", "04:00.0") != nullptr);
  CHECK(link(r, "03:00.0", "04:00.0")->gbytes_per_s.is(50.0));
  CHECK(link(r, "03:00.0", "0001:81:00.0") == nullptr);
}

TEST_CASE("hwloc: XGMI rates that hwloc only assumes are unknown, and hop counts tell what is direct") {
  const std::string rates = R"(<distances2 type="OSDev" nbobjs="3" kind="25" name="XGMIBandwidth" indexing="gp">
    <indexes>41 42 43</indexes><u64values>0 100000 100000 100000 0 64000 100000 64000 0</u64values></distances2>
)";
  const std::string hops = R"(<distances2 type="OSDev" nbobjs="3" kind="25" name="XGMIHops" indexing="gp">
    <indexes>41 42 43</indexes><u64values>0 1 2 1 0 1 2 1 0</u64values></distances2>
)";
  const Recording both = read(topology(rates + hops));
  CHECK(both.fabric.size() == 4);
  CHECK(link(both, "03:00.0", "04:00.0")->kind == FabricLink::Kind::xgmi);
  CHECK(link(both, "03:00.0", "04:00.0")->gbytes_per_s.is_unknown());
  CHECK(link(both, "04:00.0", "0001:81:00.0")->gbytes_per_s.is(64.0));
  CHECK(link(both, "03:00.0", "0001:81:00.0") == nullptr);
  CHECK(read(topology(hops)).fabric.size() == 4);
}

TEST_CASE("hwloc: matrices that cannot be read are left out with a warning") {
  for (
      const char* matrix :
      {R"(<distances2 type="OSDev" nbobjs="2" name="NVLinkBandwidth" indexing="gp"><indexes>41 42</indexes><u64values>1 2 3</u64values></distances2>)",
       R"(<distances2 type="OSDev" nbobjs="2" name="NVLinkBandwidth" indexing="gp"><indexes>41</indexes><u64values>1 2 3 4</u64values></distances2>)",
       R"(<distances2 type="OSDev" nbobjs="99999999" name="NVLinkBandwidth"><indexes>41</indexes></distances2>)",
       R"(<distances2 type="OSDev" nbobjs="2" name="NVLinkBandwidth" indexing="gp"><indexes>41 42</indexes><u64values>0 x 1 0</u64values></distances2>)"}) {
    CAPTURE(matrix);
    const Recording r = read(topology(matrix));
    CHECK(r.fabric.empty());
    CHECK(r.warnings.size() == 1);
  }
  // Latencies between nodes are of no interest and need no warning.
  CHECK(read(topology(R"(<distances2 type="NUMANode" nbobjs="2" name="NUMALatency"/>)")).warnings.empty());
}

TEST_CASE("hwloc: an address that stands twice is kept once and named") {
  const Recording r = read(R"(<topology version="3.0"><object type="Machine" nodeset="0x1">
<object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-04]">
<object type="PCIDev" pci_busid="0000:04:00.0" pci_type="0107 [8086:1d6b] [0000:0000] 06"/>
<object type="PCIDev" pci_busid="0000:04:00.0" pci_type="0207 [15b3:1013] [0000:0000] 00"/>
<object type="PCIDev" pci_busid="0000:00:00.0" pci_type="0600 [8086:3c00] [0000:0000] 00"/>
<object type="PCIDev" pci_busid="nonsense" pci_type="0600"/>
<object type="PCIDev" pci_busid="0000:05:00.0" pci_type="0300 [1002:" pci_link_speed="1e9"/>
</object></object></topology>)");
  CHECK(r.devices.size() == 3);
  CHECK(device(r, "04:00.0").vendor_id.is(0x8086));
  REQUIRE(r.warnings.size() == 3);
  CHECK(r.warnings[0].code == "input.duplicate-address");
  CHECK(r.warnings[0].where == "host.xml:4");
  CHECK(r.warnings[1].where == "host.xml:6");
  CHECK(r.warnings[2].where == "host.xml:7");
  CHECK(device(r, "05:00.0").stated_link_gbytes_per_s.reason() == Reason::damaged);
  CHECK_FALSE(device(r, "05:00.0").vendor_id.is_known());
  CHECK(device(r, "05:00.0").numa_node.is(0));
  // A host bridge's own function is only listed where all I/O objects are.
  CHECK(r.listing_complete.is(true));
}

TEST_CASE("hwloc: version 1 nests devices in nodes and calls packages sockets") {
  const Recording r = read(R"(<topology>
<object type="Machine" os_index="0" nodeset="0x00000003"><object type="NUMANode" os_index="1" nodeset="0x00000002">
<object type="Socket" os_index="1" nodeset="0x00000002"><object type="Bridge" os_index="0" bridge_type="0-1" depth="0" bridge_pci="0000:[80-81]">
<object type="PCIDev" os_index="528384" name="NVIDIA Corporation Tesla" pci_busid="0000:81:00.0" pci_type="0302 [10de:1094] [0000:0000] a1" pci_link_speed="0.000000"/>
</object></object></object></object></topology>)");
  REQUIRE(r.devices.size() == 1);
  CHECK(r.devices[0].numa_node.is(1));
  CHECK(r.devices[0].package.is(1));
  CHECK(r.devices[0].name.is("NVIDIA Corporation Tesla"));
  CHECK(r.devices[0].stated_link_gbytes_per_s.is_unknown());
}

TEST_CASE("hwloc: without I/O objects nothing is said about devices; several nodes near one leave its node open") {
  const Recording none = read(R"(<topology version="3.0"><object type="Machine" nodeset="0x1"/></topology>)");
  CHECK_FALSE(none.lists_devices);
  CHECK(none.devices.empty());
  const Recording hbm = read(R"(<topology version="2.0"><object type="Machine" nodeset="0x3">
<object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-01]"><object type="PCIDev" pci_busid="0000:01:00.0" pci_type="1200 [1002:74a0] [0000:0000] 00"/></object>
</object></topology>)");
  CHECK(hbm.devices.at(0).numa_node.is_unknown());
  // Bit 32 of a bitmap of several words.
  const Recording far = read(R"(<topology version="2.0"><object type="Machine" nodeset="0x00000001,0x0">
<object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-01]"><object type="PCIDev" pci_busid="0000:01:00.0" pci_type="0300"/></object>
</object></topology>)");
  CHECK(far.devices.at(0).numa_node.is(32));
}

TEST_CASE("hwloc: XML that is cut, of another kind, or made to harm") {
  const auto cut =
      read_hwloc_xml("host.xml", "<topology version=\"2.0\">\n<object type=\"Machine\">\n<object type=\"PCI");
  REQUIRE_FALSE(cut.ok());
  CHECK(cut.error().code == ExitCode::bad_input);
  CHECK(cut.error().where == "host.xml:3");
  const auto other = read_hwloc_xml("host.xml", "<html/>");
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().where == "host.xml:1");
  CHECK_FALSE(read_hwloc_xml("host.xml", "").ok());

  // Entities are never expanded.
  const auto bomb =
      read_hwloc_xml("host.xml",
                     "<!DOCTYPE t [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n"
                     "<topology><object type=\"Machine\"><info name=\"OSRelease\" value=\"&b;\"/></object></topology>");
  REQUIRE(bomb.ok());
  CHECK(bomb.value().host.kernel.is("&b;"));

  std::string deep = "<topology>";
  for (int i = 0; i < 100000; ++i) deep += "<object type=\"Group\">";
  for (int i = 0; i < 100000; ++i) deep += "</object>";
  const auto nested = read_hwloc_xml("host.xml", deep + "</topology>");
  REQUIRE(nested.ok());
  CHECK(nested.value().warnings.at(0).code == "input.too-deep");
}
