#include <doctest/doctest.h>
#include <unistd.h>

#include "read/config_builder.hpp"
#include "read/sysfs_tree.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const std::string kTopology = "sys/class/kfd/kfd/topology/";
const std::string kNodes = kTopology + "nodes/";

std::string device(SysfsTree& tree, const std::string& address) {
  const auto where = "pci0000:00/" + address;
  tree.device(where, ConfigBuilder().bytes());
  tree.link("sys/devices/" + where + "/driver", "../../../bus/pci/drivers/amdgpu");
  return "sys/devices/" + where + "/";
}

void processor(SysfsTree& tree) {
  tree.file(kTopology + "generation_id", "2\n");
  tree.file(kNodes + "0/gpu_id", "0\n").file(kNodes + "0/properties", "cpu_cores_count 16\nlocation_id 0\ndomain 0\n");
}

void gpu(SysfsTree& tree, unsigned number, unsigned location, const std::string& hive) {
  const auto at = kNodes + std::to_string(number) + "/";
  tree.file(at + "gpu_id", std::to_string(4000 + number) + "\n");
  tree.file(at + "properties", "gfx_target_version 90010\nvendor_id 4098\nlocation_id " + std::to_string(location) +
                                   "\ndomain 0\ndrm_render_minor " + std::to_string(127 + number) + "\nhive_id " +
                                   hive + "\nfw_version 2150\nsdma_fw_version 18\nunique_id 987654321\n");
  tree.file(at + "mem_banks/0/properties", "heap_type 1\nsize_in_bytes 68702699520\n");
  tree.file(at + "io_links/0/properties",
            "type 2\nnode_from " + std::to_string(number) + "\nnode_to 0\nweight 20\nflags 1\n");
}

void link(SysfsTree& tree, unsigned from, unsigned to, const std::string& kind, unsigned type, unsigned weight,
          unsigned flags) {
  tree.file(kNodes + std::to_string(from) + "/" + kind + "/" + std::to_string(to) + "/properties",
            "type " + std::to_string(type) + "\nnode_from " + std::to_string(from) + "\nnode_to " + std::to_string(to) +
                "\nweight " + std::to_string(weight) + "\nflags " + std::to_string(flags) + "\n");
}

}  // namespace

TEST_CASE("KFD: what a node states about its GPU") {
  SysfsTree tree;
  device(tree, "0000:00:03.0");
  device(tree, "0000:00:04.0");
  processor(tree);
  gpu(tree, 1, 0x18, "0");
  gpu(tree, 2, 0x20, "13835058055282163713");
  tree.file(kNodes + "2/mem_banks/0/properties", "heap_type 2\n");
  const auto r = tree.read();
  const auto& first = device_in(r, "00:03.0");
  REQUIRE(first.kfd.is_known());
  CHECK(first.kfd.value().gfx_target_version.is(90010));
  CHECK(first.kfd.value().mec_firmware.is(2150));
  CHECK(first.kfd.value().sdma_firmware.is(18));
  CHECK(first.kfd.value().hive.is_absent());
  CHECK(first.kfd.value().large_bar.is(true));
  CHECK(first.kfd.value().partitions.is(1));
  CHECK(first.render_minor.is(128));
  const auto& second = device_in(r, "00:04.0").kfd.value();
  CHECK(second.hive.is(1));
  CHECK(second.large_bar.is(false));
}

TEST_CASE("KFD: links between GPUs, and XGMI ones as a fabric") {
  SysfsTree tree;
  for (const auto* address : {"0000:00:03.0", "0000:00:04.0", "0000:00:05.0"}) device(tree, address);
  processor(tree);
  gpu(tree, 1, 0x18, "777");
  gpu(tree, 2, 0x20, "777");
  gpu(tree, 3, 0x28, "0");
  link(tree, 1, 2, "io_links", 11, 15, 1);
  link(tree, 2, 1, "io_links", 11, 15, 1);
  link(tree, 1, 3, "p2p_links", 2, 40, 3);
  link(tree, 3, 1, "p2p_links", 2, 40, 0x1f);
  const auto r = tree.read();
  REQUIRE(r.driver_links.size() == 4);
  CHECK(r.driver_links[0].kind == DriverLink::Kind::xgmi);
  CHECK(r.driver_links[0].weight.is(15));
  CHECK(r.driver_links[0].peer_dma.is(true));
  CHECK(to_string(r.driver_links[1].to) == "0000:00:05.0");
  CHECK(r.driver_links[1].kind == DriverLink::Kind::pcie);
  CHECK(r.driver_links[1].weight.is(40));
  CHECK(to_string(r.driver_links[3].from) == "0000:00:05.0");
  CHECK(r.driver_links[3].peer_dma.is(false));
  REQUIRE(r.fabric.size() == 1);
  CHECK(r.fabric[0].kind == FabricLink::Kind::xgmi);
  CHECK(to_string(r.fabric[0].a) == "0000:00:03.0");
  CHECK(to_string(r.fabric[0].b) == "0000:00:04.0");
  CHECK(r.fabric[0].links.is_unknown());
  CHECK(r.fabric[0].gbytes_per_s.is_unknown());
  // The flags of links between GPUs do not tell the gate.
  CHECK(device_in(r, "00:05.0").driver_atomics.is(true));
}

TEST_CASE("KFD: partitions are nodes of one device, whatever its other functions are") {
  SysfsTree tree;
  device(tree, "0000:00:03.0");
  tree.device("pci0000:00/0000:00:03.1", ConfigBuilder().u16(0x0a, 0x0403).bytes());
  processor(tree);
  gpu(tree, 1, 0x18, "0");
  gpu(tree, 2, 0x19, "0");
  gpu(tree, 3, 0x1a, "0");
  const auto r = tree.read();
  CHECK(device_in(r, "00:03.0").kfd.value().partitions.is(3));
  CHECK(device_in(r, "00:03.1").kfd.is_unknown());
  CHECK(r.driver_links.empty());
}

TEST_CASE("KFD: a GPU that the compute driver left out, and a driver without KFD") {
  SysfsTree tree;
  device(tree, "0000:00:03.0");
  device(tree, "0000:00:04.0");
  SUBCASE("left out") {
    processor(tree);
    gpu(tree, 1, 0x18, "0");
    const auto r = tree.read();
    CHECK(device_in(r, "00:03.0").kfd.is_known());
    CHECK(device_in(r, "00:04.0").kfd.is_absent());
  }
  SUBCASE("no KFD") {
    const auto r = tree.read();
    CHECK(device_in(r, "00:04.0").kfd.is_unknown());
    CHECK(r.driver_links.empty());
  }
}

TEST_CASE("live: memory that amdgpu states, unless the card sleeps") {
  SysfsTree tree;
  const auto at = device(tree, "0000:00:03.0");
  tree.file(at + "mem_info_vram_total", "34208743424\n").file(at + "mem_info_vis_vram_total", "34208743424\n");
  std::filesystem::create_directories(tree.path(at + "drm/renderD129"));
  std::filesystem::create_directories(tree.path(at + "drm/card1"));
  auto r = tree.read();
  CHECK(device_in(r, "00:03.0").vram_bytes.is(34208743424));
  CHECK(device_in(r, "00:03.0").render_minor.is(129));
  CHECK(r.warnings.empty());

  tree.file(at + "power/runtime_status", "suspended\n");
  r = tree.read();
  CHECK(device_in(r, "00:03.0").vram_bytes == Known<std::uint64_t>::unknown(Reason::asleep));
  CHECK(device_in(r, "00:03.0").render_minor.is(129));
}
