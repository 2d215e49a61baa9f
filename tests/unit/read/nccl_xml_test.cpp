#include <doctest/doctest.h>

#include <string>

#include "read/xml/xml.hpp"

using namespace gpucoop;

namespace {

Recording read(const std::string& body) {
  auto result = read_nccl_xml("topo.xml", "<!-- a comment -->\n<system version=\"1\">\n" + body + "\n</system>\n");
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

TEST_CASE("NCCL: elements are devices, nested ones have a parent with levels left out") {
  const Recording r = read(
      R"(<cpu numaid="1" host_hash="0x1" affinity="ffff" arch="x86_64" vendor="AuthenticAMD" familyid="175" modelid="17">
  <pci busid="0000:21:00.0" class="0x060400" vendor="0x1022" device="0x14c7" link_speed="16.0 GT/s PCIe" link_width="16">
    <pci busid="0000:23:00.0" class="0x038000" vendor="0x1002" device="0x740f" subsystem_vendor="0x0000" subsystem_device="0x0c34" link_speed="32.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="104" gcn="910" rank="0" gdr="1"/>
    </pci>
  </pci>
  <pci busid="000A:41:00.0" class="0x020700" vendor="0x15b3" device="0x101b" link_speed="8 GT/s" link_width="8"><nic><net name="mlx5_0"/></nic></pci>
  <nic><net name="eth0"/></nic>
</cpu>)");
  CHECK(r.sources.at(0).kind == SourceKind::nccl_xml);
  CHECK(r.lists_devices);
  CHECK_FALSE(r.listing_complete.is_known());
  CHECK(r.devices.size() == 3);
  CHECK(r.warnings.empty());

  const PciDevice& above = device(r, "21:00.0");
  CHECK(above.stated_parent.is_unknown());
  CHECK(above.parent_skips_levels);
  CHECK(above.header_type.is(1));
  REQUIRE(above.express.is_known());
  CHECK(above.express.value().speed.is(LinkSpeed::gen4));
  CHECK(above.express.value().width.is(16));
  CHECK(above.express.value().type.is_unknown());
  CHECK(above.express.value().max_speed.is_unknown());

  const PciDevice& gpu = device(r, "23:00.0");
  CHECK(gpu.stated_parent.is(*parse_address("21:00.0")));
  CHECK(gpu.parent_skips_levels);
  CHECK(gpu.class_code.is(0x0380));
  CHECK(gpu.device_id.is(0x740f));
  CHECK(gpu.subsystem_vendor_id.is_unknown());
  CHECK(gpu.numa_node.is(1));
  CHECK(gpu.package.is_unknown());
  CHECK(gpu.places.at(0).line == 5);
  CHECK(device(r, "000a:41:00.0").express.value().speed.is(LinkSpeed::gen3));

  CHECK(r.host.cpu_vendor.is("AuthenticAMD"));
  CHECK(r.host.cpu_family.is(0x19));
  CHECK(r.host.cpu_model.is(17));
}

TEST_CASE("NCCL: empty speed and width 0 are unknown, impossible ones are damaged") {
  const Recording r = read(R"(<cpu numaid="-1" vendor="GenuineIntel" familyid="6" modelid="85">
<pci busid="0001:00:00.0" class="0x030200" vendor="0x10de" device="0x20b5" link_speed="" link_width="0"><gpu dev="0" sm="80"/></pci>
<pci busid="0002:00:00.0" class="0x030200" link_speed="Unknown" link_width="255"><gpu dev="1" sm="80"/></pci>
<pci busid="0003:00:00.0" class="0x0302" link_speed="17 GT/s" link_width="17"><gpu dev="2" gcn="gfx90a"/></pci>
<pci busid="garbage" class="0x0302"><gpu dev="3"/></pci>
</cpu>)");
  CHECK(device(r, "0001:00:00.0").express.is_unknown());
  CHECK(device(r, "0002:00:00.0").express.is_unknown());
  CHECK(device(r, "0001:00:00.0").numa_node.is_unknown());
  CHECK(r.host.cpu_family.is(6));
  CHECK(r.devices.size() == 3);
  CHECK(r.warnings.size() == 2);
  // The maker follows from the attribute of its library where no id is given.
  CHECK(device(r, "0002:00:00.0").vendor_id.is(0x10de));
  CHECK(device(r, "0003:00:00.0").vendor_id.is(0x1002));
  CHECK(device(r, "0002:00:00.0").device_id.is_unknown());
}

TEST_CASE("NCCL: direct NVLink and XGMI links, each direction as stated") {
  const auto gpu = [](const char* busid, const std::string& links) {
    return std::string("<pci busid=\"") + busid + "\" class=\"0x030200\"><gpu sm=\"80\">" + links + "</gpu></pci>\n";
  };
  const Recording r =
      read("<cpu numaid=\"0\">" + gpu("0000:01:00.0", R"(<nvlink target="0000:02:00.0" count="4" tclass="0x030200"/>
                                                  <nvlink target="0000:02:00.0" count="2" tclass="0x030200"/>
                                                  <nvlink target="0000:99:00.0" count="2" tclass="0x030200"/>
                                                  <nvlink target="0004:00:00.0" count="2" tclass="0x068001"/>)") +
           gpu("0000:02:00.0", R"(<nvlink target="0000:01:00.0" count="6" tclass="0x030200"/>
                                                  <c2c bw="100" count="1"/>)") +
           gpu("0000:03:00.0", R"(<xgmi target="0000:01:00.0" count="1" tclass="0x038000"/>)") + "</cpu>");
  CHECK(r.fabric.size() == 3);
  REQUIRE(link(r, "01:00.0", "02:00.0") != nullptr);
  CHECK(link(r, "01:00.0", "02:00.0")->links.is(6));
  CHECK(link(r, "01:00.0", "02:00.0")->kind == FabricLink::Kind::nvlink);
  CHECK(link(r, "01:00.0", "02:00.0")->gbytes_per_s.is_unknown());
  CHECK(link(r, "02:00.0", "01:00.0")->links.is(6));
  CHECK(link(r, "03:00.0", "01:00.0")->kind == FabricLink::Kind::xgmi);
  CHECK(link(r, "01:00.0", "03:00.0") == nullptr);
}

TEST_CASE("NCCL: GPUs with links to the switches are joined by them, also where a guest hides their addresses") {
  const auto gpu = [](int bus, const std::string& target, int count) {
    return "<pci busid=\"0000:0" + std::to_string(bus) + ":00.0\" class=\"0x030200\"><gpu sm=\"90\"><nvlink target=\"" +
           target + "\" count=\"" + std::to_string(count) + "\" tclass=\"0x068000\"/></gpu></pci>\n";
  };
  for (const char* target : {"0000:c4:00.0", "fffffff:ffff:ff"}) {
    CAPTURE(target);
    const Recording r = read("<cpu numaid=\"0\">" + gpu(1, target, 18) + gpu(2, target, 12) +
                             "<pci busid=\"0000:03:00.0\" class=\"0x030200\"><gpu sm=\"90\"/></pci></cpu>");
    CHECK(r.fabric.size() == 2);
    REQUIRE(link(r, "01:00.0", "02:00.0") != nullptr);
    CHECK(link(r, "01:00.0", "02:00.0")->links.is(12));
    CHECK(link(r, "02:00.0", "01:00.0")->links.is(12));
    CHECK(link(r, "01:00.0", "03:00.0") == nullptr);
  }
}

TEST_CASE("NCCL: cut, graphs instead of a topology, twice the same address") {
  const auto cut =
      read_nccl_xml("topo.xml", "<system version=\"2\">\n<cpu numaid=\"3\">\n<pci busid=\"0000:31:00.0\" devic");
  REQUIRE_FALSE(cut.ok());
  CHECK(cut.error().code == ExitCode::bad_input);
  CHECK(cut.error().where == "topo.xml:3");
  const auto graphs = read_nccl_xml("graph.xml", "<graphs version=\"1\"/>");
  REQUIRE_FALSE(graphs.ok());
  CHECK(graphs.error().next.find("NCCL_TOPO_DUMP_FILE") != std::string::npos);
  CHECK_FALSE(read_nccl_xml("x.xml", "<other/>").ok());

  const Recording twice = read(
      R"(<cpu numaid="0"><pci busid="0000:01:00.0" class="0x030200"/><pci busid="0000:01:00.0" class="0x060400"/></cpu>)");
  CHECK(twice.devices.size() == 1);
  CHECK(device(twice, "01:00.0").class_code.is(0x0302));
  REQUIRE(twice.warnings.size() == 1);
  CHECK(twice.warnings[0].where == "topo.xml:3");
}
