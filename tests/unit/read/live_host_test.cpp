#include <doctest/doctest.h>
#include <unistd.h>

#include "read/config_builder.hpp"
#include "read/sysfs_tree.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const char* const kCpu =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 68\nmodel name\t: AMD Ryzen 9\n"
    "flags\t\t: fpu vme hypervisor lm\nbugs\t\t:\n\nprocessor\t: 1\ncpu family\t: 7\n";

const std::string kNodes = "sys/class/kfd/kfd/topology/nodes/";

void gpu_at(SysfsTree& tree, const std::string& address) {
  const auto where = "pci0000:00/" + address;
  tree.device(where, ConfigBuilder().bytes());
  tree.link("sys/devices/" + where + "/driver", "../../../bus/pci/drivers/amdgpu");
}

void processor_node(SysfsTree& tree) {
  tree.file(kNodes + "0/gpu_id", "0\n").file(kNodes + "0/properties", "cpu_cores_count 16\nlocation_id 0\ndomain 0\n");
}

void gpu_node(SysfsTree& tree, const std::string& number, unsigned location, unsigned flags) {
  const auto at = kNodes + number + "/";
  tree.file(at + "gpu_id", "4660\n");
  tree.file(at + "properties",
            "vendor_id 4098\nlocation_id " + std::to_string(location) + "\ndomain 0\nunique_id 123456789\n");
  tree.file(at + "io_links/0/properties",
            "type 2\nnode_from " + number + "\nnode_to 0\nweight 20\nflags " + std::to_string(flags) + "\n");
}

}  // namespace

TEST_CASE("live: board, kernel and processor, and nothing personal") {
  SysfsTree tree;
  tree.file("sys/class/dmi/id/board_vendor", "ASUSTeK COMPUTER INC.\n");
  tree.file("sys/class/dmi/id/board_name", "ProArt B850-CREATOR WIFI\n");
  tree.file("sys/class/dmi/id/board_serial", "SECRET-SERIAL\n");
  tree.file("proc/sys/kernel/osrelease", "6.12.63+deb13-amd64\n");
  tree.file("proc/sys/kernel/hostname", "secret-host\n");
  tree.file("proc/cmdline", "BOOT_IMAGE=/vmlinuz root=UUID=secret ro iommu=pt quiet user=secret\n");
  tree.file("proc/cpuinfo", kCpu);
  const auto host = tree.read().host;
  CHECK(host.board.is("ASUSTeK COMPUTER INC. ProArt B850-CREATOR WIFI"));
  CHECK(host.kernel.is("6.12.63+deb13-amd64"));
  CHECK(host.command_line.is("iommu=pt"));
  CHECK(host.cpu_vendor.is("AuthenticAMD"));
  CHECK(host.cpu_family.is(26));
  CHECK(host.cpu_model.is(68));
  CHECK(host.hypervisor.is(true));
}

TEST_CASE("live: whether this is a virtual machine") {
  SysfsTree tree;
  std::string text = kCpu;
  SUBCASE("the processor's flags do not say so") {
    text.replace(text.find("hypervisor "), 11, "");
    CHECK(tree.file("proc/cpuinfo", text).read().host.hypervisor.is(false));
  }
  SUBCASE("flags that are cut say nothing") {
    text.replace(text.find("hypervisor "), 11, "");
    text.resize(text.find(" lm\n"));
    CHECK(tree.file("proc/cpuinfo", text).read().host.hypervisor.is_unknown());
  }
  SUBCASE("no flags, as on Arm") {
    CHECK(tree.file("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp\n").read().host.hypervisor.is_unknown());
  }
  SUBCASE("the firmware says so where the processor hides it") {
    text.replace(text.find("hypervisor "), 11, "");
    tree.file("proc/cpuinfo", text).file("sys/class/dmi/id/sys_vendor", "QEMU\n");
    tree.file("sys/class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)\n");
    CHECK(tree.read().host.hypervisor.is(true));
    CHECK(tree.read().host.board.is("QEMU Standard PC (Q35 + ICH9, 2009)"));
  }
  SUBCASE("nothing can be read") { CHECK(tree.read().host.hypervisor.is_unknown()); }
}

TEST_CASE("live: KFD's links say what the driver decided about atomics") {
  SysfsTree tree;
  gpu_at(tree, "0000:00:03.0");
  gpu_at(tree, "0000:00:04.0");
  processor_node(tree);
  gpu_node(tree, "1", 0x18, 1);
  gpu_node(tree, "2", 0x20, 13);
  auto r = tree.read();
  CHECK(device_in(r, "00:03.0").driver_atomics.is(true));
  CHECK(device_in(r, "00:04.0").driver_atomics.is(false));

  // One size is enough, and without the enabled bit the defaults hold.
  gpu_node(tree, "1", 0x18, 5);
  gpu_node(tree, "2", 0x20, 12);
  r = tree.read();
  CHECK(device_in(r, "00:03.0").driver_atomics.is(true));
  CHECK(device_in(r, "00:04.0").driver_atomics.is(true));
}

TEST_CASE("live: KFD's links between GPUs say nothing about the processor") {
  SysfsTree tree;
  gpu_at(tree, "0000:00:03.0");
  processor_node(tree);
  gpu_node(tree, "1", 0x18, 13);
  tree.file(kNodes + "1/io_links/0/properties", "type 11\nnode_from 1\nnode_to 2\nflags 1\n");
  CHECK(device_in(tree.read(), "00:03.0").driver_atomics.is_unknown());
}

TEST_CASE("live: a partition of a GPU has its number in place of the function") {
  SysfsTree tree;
  gpu_at(tree, "0000:00:03.0");
  processor_node(tree);
  gpu_node(tree, "1", 0x1b, 1);
  CHECK(device_in(tree.read(), "00:03.0").driver_atomics.is(true));
}

TEST_CASE("live: a KFD node that may not be read belongs to a hidden GPU") {
  SysfsTree tree;
  gpu_at(tree, "0000:00:03.0");
  gpu_at(tree, "0000:00:04.0");
  processor_node(tree);
  gpu_node(tree, "1", 0x18, 1);
  gpu_node(tree, "2", 0x20, 1);
  REQUIRE(::chmod(tree.path(kNodes + "2/properties").c_str(), 0) == 0);
  // Root may read everything.
  if (::geteuid() == 0) return;
  const auto r = tree.read();
  CHECK(device_in(r, "00:03.0").driver_atomics.is(true));
  CHECK(is_unknown_for(device_in(r, "00:04.0").driver_atomics, Reason::hidden_by_container));
}

TEST_CASE("live: damaged KFD files decide nothing") {
  SysfsTree tree;
  gpu_at(tree, "0000:00:03.0");
  processor_node(tree);
  gpu_node(tree, "1", 0x18, 1);
  SUBCASE("flags are missing") { tree.file(kNodes + "1/io_links/0/properties", "type 2\nnode_to 0\n"); }
  SUBCASE("no number") { tree.file(kNodes + "1/io_links/0/properties", "node_to 0\nflags yes\n"); }
  SUBCASE("a pipe") { tree.remove(kNodes + "1/io_links/0/properties").fifo(kNodes + "1/io_links/0/properties"); }
  SUBCASE("no such device") { gpu_node(tree, "1", 0x4000, 1); }
  CHECK(device_in(tree.read(), "00:03.0").driver_atomics.is_unknown());
}
