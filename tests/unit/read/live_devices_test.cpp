#include <doctest/doctest.h>

#include "read/config_builder.hpp"
#include "read/live/device_path.hpp"
#include "read/live/device_values.hpp"
#include "read/sysfs_tree.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const std::string kPort = "pci0000:00/0000:00:01.1";
const std::string kGpu = kPort + "/0000:01:00.0";
const std::string kGpuFolder = "sys/devices/" + kGpu + "/";

ConfigBuilder root_port() {
  ConfigBuilder b;
  b.bridge(0, 1, 1).u16(0x00, 0x1022).u16(0x02, 0x14db).express(2, 4, true);
  b.u32(ConfigBuilder::kExpress + 0x0c, 0x104).u16(ConfigBuilder::kExpress + 0x12, 0x2104);
  b.u32(ConfigBuilder::kExpress + 0x24, 0x180);
  b.extended(0x100, 0x01, 0x148).extended(0x148, 0x0d).u16(0x14c, 0x5f).u16(0x14e, 0x1d);
  return b;
}

ConfigBuilder gpu() {
  ConfigBuilder b;
  b.u16(0x2c, 0x1043).u16(0x2e, 0x0606).express(2, 0);
  b.u32(ConfigBuilder::kExpress + 0x0c, 0x104).u16(ConfigBuilder::kExpress + 0x12, 0x104);
  b.u16(ConfigBuilder::kExpress + 0x28, 0x40);
  b.u32(0x10, 0x0000000c).u32(0x14, 0x10);
  return b;
}

SysfsTree& host(SysfsTree& tree, std::size_t most = 4096) {
  return tree.device(kPort, root_port().bytes(), most).device(kGpu, gpu().bytes(), most);
}

}  // namespace

TEST_CASE("live: registers, parents and surroundings of devices") {
  SysfsTree tree;
  host(tree);
  tree.link(kGpuFolder + "driver", "../../../../bus/pci/drivers/amdgpu");
  tree.link(kGpuFolder + "iommu_group", "../../../../kernel/iommu_groups/14");
  tree.file("sys/kernel/iommu_groups/14/type", "DMA-FQ\n");
  tree.file(kGpuFolder + "numa_node", "1\n").file(kGpuFolder + "label", "PCIEX16_1\n");
  tree.file("sys/bus/pci/slots/3/address", "0000:01:00\n").file("sys/bus/pci/slots/7/address", "0000:02\n");
  const auto r = tree.read();
  CHECK_FALSE(r.live);
  REQUIRE(r.sources.size() == 1);
  CHECK(r.sources[0].kind == SourceKind::live);
  CHECK(r.lists_devices);
  CHECK(r.listing_complete.is(true));
  CHECK(r.warnings.empty());
  REQUIRE(r.devices.size() == 2);

  const auto& port = device_in(r, "00:01.1");
  CHECK(port.stated_parent.is_absent());
  CHECK(port.stated_root_bus.is(0));
  CHECK(port.express.value().type.is(PortType::root_port));
  CHECK(port.express.value().atomic_completer64.is(true));
  CHECK(port.acs.value().control.request_redirect.is(true));
  CHECK(port.driver.is_absent());
  CHECK(port.iommu_group.is_absent());
  CHECK(port.numa_node.is_unknown());

  const auto& card = device_in(r, "01:00.0");
  CHECK(card.stated_parent.is(*parse_address("00:01.1")));
  CHECK(card.vendor_id.is(0x1002));
  CHECK(card.subsystem_device_id.is(0x0606));
  CHECK(card.express.value().speed.is(LinkSpeed::gen4));
  CHECK(card.express.value().width.is(16));
  CHECK(card.express.value().atomic_requester_enable.is(true));
  CHECK(card.acs.is_absent());
  CHECK(card.driver.is("amdgpu"));
  CHECK(card.iommu_group.is(14));
  CHECK(card.numa_node.is(1));
  CHECK(card.slot_label.is("PCIEX16_1"));
  CHECK(card.physical_slot.is("3"));
  CHECK(card.power_state.is("D0"));
  CHECK(card.physical_function.is_absent());
  CHECK(r.host.iommu_active.is(true));
  CHECK(r.host.iommu_translating.is(true));
}

TEST_CASE("live: the sparse reading of extended space gives what the whole one gives") {
  SysfsTree tree;
  auto b = gpu();
  b.extended(0x100, 0x0b, 0x148).extended(0x148, 0x01, 0x200).extended(0x200, 0x15, 0x240);
  b.u32(0x204, 0x3ff0).u32(0x208, 0xe20).extended(0x240, 0x10, 0x2a0).u16(0x248, 1).u16(0x24e, 8).u16(0x250, 2);
  b.u16(0x254, 1).u16(0x256, 1).u16(0x25a, 0x74b5).extended(0x2a0, 0x0e).u8(0x2a5, 1);
  tree.device(kGpu, b.bytes());
  const auto r = tree.read();
  const auto& live = device_in(r, "01:00.0");
  const auto whole = b.decoded();
  REQUIRE(live.sriov.is_known());
  CHECK(live.sriov.value().num_vfs == whole.sriov.value().num_vfs);
  CHECK(live.sriov.value().vf_device_id.is(0x74b5));
  CHECK(live.ari_next_function.is(1));
  CHECK(live.aer.value().uncorrectable.is(0));
  REQUIRE(live.resizable_bars.size() == 1);
  CHECK(live.resizable_bars[0].supported == whole.resizable_bars[0].supported);
  CHECK(live.acs.is_absent());
}

TEST_CASE("live: without the right to see capabilities links come from the attributes that all may read") {
  SysfsTree tree;
  host(tree, 64);
  tree.file(kGpuFolder + "current_link_speed", "16.0 GT/s PCIe\n").file(kGpuFolder + "current_link_width", "8\n");
  tree.file(kGpuFolder + "max_link_speed", "32.0 GT/s PCIe\n").file(kGpuFolder + "max_link_width", "16\n");
  tree.file(kGpuFolder + "resource0_resize", "0000000000003f00\n");
  tree.file(kGpuFolder + "resource",
            "0x0000001000000000 0x000000100fffffff 0x000000000014220c\n0x0000000000000000 0x0000000000000000 "
            "0x0000000000000000\n");
  const auto r = tree.read();
  const auto& card = device_in(r, "01:00.0");
  CHECK(card.access_denied);
  CHECK(card.vendor_id.is(0x1002));
  REQUIRE(card.express.is_known());
  const auto& e = card.express.value();
  CHECK(e.speed.is(LinkSpeed::gen4));
  CHECK(e.width.is(8));
  CHECK(e.max_speed.is(LinkSpeed::gen5));
  CHECK(e.max_width.is(16));
  CHECK(is_unknown_for(e.type, Reason::no_root));
  CHECK(is_unknown_for(e.atomic_requester_enable, Reason::no_root));
  CHECK(is_unknown_for(card.acs, Reason::no_root));
  REQUIRE(card.bars.size() == 1);
  CHECK(card.bars[0].size.is(0x10000000));
  REQUIRE(card.resizable_bars.size() == 1);
  CHECK(card.resizable_bars[0].supported.size() == 6);
  CHECK(card.resizable_bars[0].supported.front() == std::uint64_t{1} << 28);
  const auto& port = device_in(r, "00:01.1");
  CHECK(port.buses.value().secondary == 1);
  CHECK(is_unknown_for(port.express, Reason::no_root));
}

TEST_CASE("live: 256 bytes are all but the extended space, which is no question of rights") {
  SysfsTree tree;
  host(tree, 256);
  const auto r = tree.read();
  const auto& port = device_in(r, "00:01.1");
  CHECK_FALSE(port.access_denied);
  CHECK(port.express.value().type.is(PortType::root_port));
  CHECK(is_unknown_for(port.acs, Reason::not_in_input));
}

TEST_CASE("live: a device that sleeps is not asked") {
  SysfsTree tree;
  host(tree);
  // Were it read, these would be its values.
  tree.file(kGpuFolder + "current_link_width", "8\n");
  tree.file(kGpuFolder + "resource", "0x0000001000000000 0x00000017ffffffff 0x000000000014220c\n");
  SUBCASE("D3cold") { tree.file(kGpuFolder + "power_state", "D3cold\n"); }
  SUBCASE("D3hot") { tree.file(kGpuFolder + "power_state", "D3hot\n"); }
  SUBCASE("suspended, on a kernel that does not tell the power state") {
    tree.remove(kGpuFolder + "power_state").file(kGpuFolder + "power/runtime_status", "suspended\n");
  }
  const auto r = tree.read();
  const auto& card = device_in(r, "01:00.0");
  CHECK(is_unknown_for(card.express, Reason::asleep));
  CHECK(is_unknown_for(card.header_type, Reason::asleep));
  CHECK_FALSE(card.lost);
  CHECK_FALSE(card.access_denied);
  CHECK(card.vendor_id.is(0x1002));
  CHECK(card.device_id.is(0x7551));
  CHECK(card.class_code.is(0x0300));
  CHECK(card.stated_parent.is(*parse_address("00:01.1")));
  REQUIRE(card.bars.size() == 1);
  CHECK(card.bars[0].size.is(std::uint64_t{1} << 35));
  CHECK(r.listing_complete.is(true));
}

TEST_CASE("live: a device that has fallen off the bus keeps its name") {
  SysfsTree tree;
  host(tree).file(kGpuFolder + "config", std::string(256, '\xff'));
  const auto r = tree.read();
  const auto& card = device_in(r, "01:00.0");
  CHECK(card.lost);
  CHECK(card.device_id.is(0x7551));
  CHECK(is_unknown_for(card.express, Reason::device_lost));
}

TEST_CASE("live: pipes, folders and links in place of attributes are not read") {
  SysfsTree tree;
  host(tree);
  tree.file("secret", "0x1234\n");
  for (const auto* name : {"config", "vendor", "power_state", "numa_node", "label", "resource", "max_link_speed"}) {
    tree.remove(kGpuFolder + name);
  }
  tree.fifo(kGpuFolder + "config").fifo(kGpuFolder + "numa_node").fifo(kGpuFolder + "resource");
  tree.fifo(kGpuFolder + "power_state").fifo(kGpuFolder + "max_link_speed");
  tree.link(kGpuFolder + "vendor", tree.path("secret").string());
  tree.file(kGpuFolder + "label/inside", "x");
  const auto r = tree.read();
  const auto& card = device_in(r, "01:00.0");
  CHECK(is_unknown_for(card.vendor_id, Reason::damaged));
  CHECK(is_unknown_for(card.numa_node, Reason::damaged));
  CHECK(card.device_id.is(0x7551));
  CHECK(card.bars.empty());
  CHECK(card.express.is_unknown());
  CHECK_FALSE(card.slot_label.is_known());
}

TEST_CASE("live: a device that vanished is left out with a warning") {
  SysfsTree tree;
  host(tree).remove("sys/devices/" + kGpu);
  const auto r = tree.read();
  REQUIRE(r.devices.size() == 1);
  REQUIRE(r.warnings.size() == 1);
  CHECK(r.warnings[0].code == "live.vanished");
  CHECK(r.warnings[0].where == "0000:01:00.0");
  CHECK(r.listing_complete.is(true));
}

TEST_CASE("live: a device of which nothing can be read may be a GPU") {
  SysfsTree tree;
  host(tree);
  for (const auto* name : {"config", "class"}) tree.remove(kGpuFolder + name);
  const auto r = tree.read();
  CHECK(device_in(r, "01:00.0").class_code.is_unknown());
  CHECK(r.listing_complete.is_unknown());
}

TEST_CASE("live: a host bridge below a device begins a hierarchy of its own") {
  SysfsTree tree;
  tree.device("pci0000:00/0000:00:0e.0", gpu().u16(0x0a, 0x0104).bytes());
  tree.device("pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0", root_port().bridge(0xe0, 0xe1, 0xe1).bytes());
  tree.device("pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0", gpu().bytes());
  const auto r = tree.read();
  REQUIRE(r.devices.size() == 3);
  const auto& port = device_in(r, "10000:e0:06.0");
  CHECK(port.stated_parent.is_absent());
  CHECK(port.stated_root_bus.is(0xe0));
  CHECK(device_in(r, "10000:e1:00.0").stated_parent.is(port.address));
}

TEST_CASE("live: a virtual function has its ids from the kernel and names its physical function") {
  SysfsTree tree;
  host(tree);
  const auto vf = kPort + "/0000:01:02.0";
  tree.device(vf, ConfigBuilder().u16(0x00, 0xffff).u16(0x02, 0xffff).express(2, 0).bytes());
  tree.file("sys/devices/" + vf + "/vendor", "0x1002\n").file("sys/devices/" + vf + "/device", "0x74b9\n");
  tree.link("sys/devices/" + vf + "/physfn", "../0000:01:00.0");
  const auto r = tree.read();
  const auto& function = device_in(r, "01:02.0");
  CHECK(function.vendor_id.is(0x1002));
  CHECK(function.device_id.is(0x74b9));
  CHECK(function.physical_function.is(*parse_address("01:00.0")));
}

TEST_CASE("live: the IOMMU by the groups of the GPUs") {
  SysfsTree tree;
  host(tree);
  const auto group = [&](const std::string& device, const std::string& number, const std::string& type) {
    tree.link("sys/devices/" + device + "/iommu_group", "../../kernel/iommu_groups/" + number);
    tree.file("sys/kernel/iommu_groups/" + number + "/type", type + "\n");
  };
  SUBCASE("identity") {
    group(kGpu, "1", "identity");
    group(kPort, "2", "DMA");
    CHECK(tree.read().host.iommu_translating.is(false));
    CHECK(tree.read().host.iommu_active.is(true));
  }
  SUBCASE("a type that is neither") {
    group(kGpu, "1", "unmanaged");
    CHECK(tree.read().host.iommu_translating.is_unknown());
  }
  SUBCASE("GPUs that differ") {
    group(kGpu, "1", "identity");
    tree.device(kPort + "/0000:01:00.1", gpu().bytes());
    group(kPort + "/0000:01:00.1", "2", "DMA");
    CHECK(is_unknown_for(tree.read().host.iommu_translating, Reason::disagreement));
  }
  SUBCASE("none") {
    std::filesystem::create_directories(tree.path("sys/kernel/iommu_groups"));
    CHECK(tree.read().host.iommu_active.is(false));
    CHECK(tree.read().host.iommu_translating.is(false));
  }
  SUBCASE("a kernel that does not show groups") { CHECK(tree.read().host.iommu_translating.is_unknown()); }
}

TEST_CASE("live: hosts without PCI and without sysfs") {
  SysfsTree tree;
  tree.remove("sys/bus/pci");
  const auto r = tree.read();
  CHECK_FALSE(r.lists_devices);
  CHECK(r.listing_complete.is_unknown());
  REQUIRE(r.warnings.size() == 1);
  CHECK(r.warnings[0].code == "live.no-pci");
  tree.remove("sys");
  const auto none = read_live(tree.roots(), builtin_rules());
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == ExitCode::no_such_input);
}

TEST_CASE("live: texts of attributes") {
  CHECK(parse_speed_attribute("2.5 GT/s PCIe").is(LinkSpeed::gen1));
  CHECK(parse_speed_attribute("8 GT/s").is(LinkSpeed::gen3));
  CHECK(parse_speed_attribute("64.0 GT/s PCIe").is(LinkSpeed::gen6));
  CHECK(is_unknown_for(parse_speed_attribute("Unknown speed"), Reason::not_in_input));
  CHECK(is_unknown_for(parse_speed_attribute("9 GT/s"), Reason::damaged));
  CHECK(is_unknown_for(parse_speed_attribute(""), Reason::damaged));
  CHECK(parse_width_attribute("16").is(16));
  CHECK(parse_width_attribute("0").is(0));
  CHECK(is_unknown_for(parse_width_attribute("255"), Reason::not_in_input));
  CHECK(is_unknown_for(parse_width_attribute("63"), Reason::not_in_input));
  CHECK(is_unknown_for(parse_width_attribute("3"), Reason::damaged));
  CHECK(is_unknown_for(parse_width_attribute("x16"), Reason::damaged));
  CHECK(parse_hex_attribute("0x030000", 6) == 0x030000U);
  CHECK_FALSE(parse_hex_attribute("0x10300", 4).has_value());
  CHECK_FALSE(parse_hex_attribute("0x", 4).has_value());

  std::vector<Bar> bars;
  take_resources(
      "0x0000000000000000 0x000000000fffffff 0x000000002014220c\n0x0 0x0 0x0\nbroken\n"
      "0x000000000000e000 0x000000000000e0ff 0x0000000000040101\n0x2 0x1 0x200\n",
      bars);
  REQUIRE(bars.size() == 2);
  CHECK(bars[0].size.is(0x10000000));
  CHECK(bars[0].assigned.is(false));
  CHECK(bars[0].is64bit.is(true));
  CHECK(bars[1].index == 3);
  CHECK(bars[1].memory.is(false));
  CHECK(bars[1].size.is(0x100));
}

TEST_CASE("live: registers of what stands on no way of a GPU are not read, and what the kernel remembers is") {
  SysfsTree tree;
  host(tree);
  ConfigBuilder network;
  network.u16(0x00, 0x15b3).u16(0x02, 0x101d).u8(0x0b, 0x02).express(2, 0);
  tree.device("pci0000:00/0000:00:02.0", network.bytes(), 4096);
  const auto r = tree.read();
  REQUIRE(r.devices.size() == 3);
  const auto& card = device_in(r, "00:02.0");
  CHECK(card.vendor_id.is(0x15b3));
  CHECK(card.device_id.is(0x101d));
  CHECK(card.class_code.is(0x0200));
  REQUIRE(card.express.is_unknown());
  CHECK(card.express.reason() == Reason::not_in_input);
  CHECK(card.header_type.is_unknown());
  CHECK_FALSE(card.access_denied);
  CHECK(device_in(r, "00:01.1").express.is_known());
  CHECK(device_in(r, "01:00.0").express.is_known());
}

TEST_CASE("live: paths of devices") {
  const auto gpu_address = *parse_address("0000:01:00.0");
  const auto found = parse_device_path("../../../devices/pci0000:00/0000:00:01.1/0000:01:00.0", gpu_address);
  REQUIRE(found.has_value());
  CHECK(found->parent == parse_address("00:01.1"));
  CHECK_FALSE(parse_device_path("../../../devices/pci0000:00/0000:00:01.1", gpu_address).has_value());
  CHECK_FALSE(parse_device_path("../somewhere/0000:01:00.0", gpu_address).has_value());
  CHECK_FALSE(parse_device_path("", gpu_address).has_value());
  const auto other_bus =
      parse_device_path("/sys/devices/platform/soc/pciabcd:c0/abcd:c0:00.0", *parse_address("abcd:c0:00.0"));
  REQUIRE(other_bus.has_value());
  CHECK(other_bus->root_bus == 0xc0);
  CHECK_FALSE(other_bus->parent.has_value());
}

TEST_CASE("live: names come from a list like pci.ids") {
  SysfsTree tree;
  host(tree).file("share/pci.ids",
                  "# comment\n1001  Other\n\t7551  Wrong\n1002  Advanced Micro Devices, Inc. [AMD/ATI]\n"
                  "\t7550  Navi 48 [RX 9070]\n\t7551  Navi 48 [R9700]\n\t\t1043 7551  Board\n1022  AMD\n"
                  "C 03  Display controller\n\t00  VGA\n\t14db  Not a device");
  const auto r = tree.read();
  CHECK(device_in(r, "01:00.0").name.is("Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 [R9700]"));
  CHECK(device_in(r, "00:01.1").name.is_unknown());
  CHECK(device_in(SysfsTree().device(kGpu, gpu().bytes()).read(), "01:00.0").name.is_unknown());
}
