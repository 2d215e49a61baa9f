#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "read/config_builder.hpp"
#include "read/sysfs_tree.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const std::string kAt = "sys/devices/pci0000:00/0000:00:03.0/";

void gpu(SysfsTree& tree, const std::vector<std::uint8_t>& config = ConfigBuilder().bytes()) {
  tree.device("pci0000:00/0000:00:03.0", ConfigBuilder().bytes());
  tree.file(kAt + "class", "0x030000\n");
  tree.file(kAt + "config", std::string(config.begin(), config.end()));
}

const PciDevice& only(const Recording& r) { return device_in(r, "00:03.0"); }

}  // namespace

TEST_CASE("a hostile copy: links lead nowhere outside of it") {
  SysfsTree tree;
  gpu(tree);
  SUBCASE("an attribute that is a link is not read, wherever it points") {
    for (const char* target : {"/etc/passwd", "../../../../../../../../../../etc/passwd"}) {
      tree.remove(kAt + "label").link(kAt + "label", target);
      CHECK_FALSE(only(tree.read()).slot_label.is_known());
    }
  }
  SUBCASE("a folder outside is one of the copy, if it has one") {
    // The same path outside of the copy exists and holds an attribute of that name.
    SysfsTree outside;
    outside.file("path", "\\_SB_.OUTSIDE\n");
    const auto there = outside.path("").string();
    tree.link(kAt + "firmware_node", there);
    CHECK_FALSE(only(tree.read()).acpi_path.is_known());
    tree.remove(kAt + "firmware_node").link(kAt + "firmware_node", "../../../../../../../../../../../.." + there);
    CHECK_FALSE(only(tree.read()).acpi_path.is_known());
    tree.remove(kAt + "firmware_node").link(kAt + "firmware_node", "/sys/devices/inside");
    tree.file("sys/devices/inside/path", "\\_SB_.INSIDE\n");
    CHECK(only(tree.read()).acpi_path.is("\\_SB_.INSIDE"));
  }
  SUBCASE("absolute links of the device list too") {
    tree.remove("sys/bus/pci/devices/0000:00:03.0");
    tree.link("sys/bus/pci/devices/0000:00:03.0", "/sys/devices/pci0000:00/0000:00:03.0");
    CHECK(only(tree.read()).class_code.is(0x0300));
  }
  SUBCASE("a link to itself") {
    tree.link(kAt + "firmware_node", "firmware_node");
    tree.link("sys/bus/pci/devices/0000:00:04.0", "0000:00:04.0");
    const auto r = tree.read();
    CHECK_FALSE(only(r).acpi_path.is_known());
    CHECK_FALSE(r.listing_complete.is(true));
  }
  SUBCASE("sys itself leads out") {
    SysfsTree other;
    other.link("copy/sys", tree.path("sys").string()).file("copy/proc/version", "x\n");
    CHECK_FALSE(read_live(Roots::below(other.path("copy").string()), builtin_rules()).ok());
  }
}

TEST_CASE("a hostile copy: files that are none, too long, too short or closed") {
  SysfsTree tree;
  SUBCASE("a pipe") {
    gpu(tree);
    tree.remove(kAt + "config").fifo(kAt + "config").fifo(kAt + "label").fifo("sys/firmware/dmi/tables/DMI");
    tree.fifo("proc/config.gz").fifo("dev/kmsg").fifo("proc/self/limits");
    const auto r = tree.read();
    CHECK_FALSE(only(r).express.is_known());
    CHECK(r.host.slots.is_unknown());
    CHECK(r.host.config_p2pdma.is_unknown());
  }
  SUBCASE("a device node") {
    gpu(tree);
    tree.remove(kAt + "config");
    if (::mknod(tree.path(kAt + "config").c_str(), S_IFCHR | 0600, ::makedev(1, 5)) == 0) {
      CHECK_FALSE(only(tree.read()).express.is_known());
    }
  }
  SUBCASE("4097 bytes of configuration space") {
    auto bytes = ConfigBuilder().bytes();
    bytes.resize(4097, 0xff);
    gpu(tree, bytes);
    CHECK(only(tree.read()).class_code.is_known());
  }
  SUBCASE("none at all") {
    gpu(tree, {});
    const auto r = tree.read();
    CHECK_FALSE(only(r).express.is_known());
    CHECK(only(r).class_code.is(0x0300));
    CHECK(only(r).vendor_id.is_known());
  }
  SUBCASE("a file of a terabyte") {
    gpu(tree);
    for (const auto& name : {kAt + "label", kAt + "resource", std::string("sys/firmware/dmi/tables/DMI"),
                             std::string("proc/config.gz"), std::string("proc/cpuinfo")}) {
      tree.file(name, "x");
      if (::truncate(tree.path(name).c_str(), off_t{1} << 40) != 0) return;
    }
    const auto r = tree.read();
    CHECK_FALSE(r.host.config_p2pdma.is_known());
    CHECK(only(r).slot_label.value_or("").size() <= 4096);
  }
  SUBCASE("a closed folder") {
    gpu(tree);
    REQUIRE(::chmod(tree.path(kAt).c_str(), 0) == 0);
    const auto r = tree.read();
    REQUIRE(::chmod(tree.path(kAt).c_str(), 0755) == 0);
    if (::geteuid() != 0) {
      CHECK(is_unknown_for(only(r).class_code, Reason::no_root));
      CHECK_FALSE(r.listing_complete.is(true));
    }
  }
}
