#include "read/host/kmsg.hpp"

#include <doctest/doctest.h>

#include "read/config_builder.hpp"
#include "read/sysfs_tree.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const char* const kAtomics = "amdgpu 0000:03:00.0: amdgpu: PCIE atomic ops is not supported";

}  // namespace

TEST_CASE("kmsg: records") {
  const auto record =
      parse_kmsg("6,339,5140900,-,caller=T1;a\\x0ab \\x5c \\xzz\n SUBSYSTEM=pci\n DEVICE=+pci:0000:03:00.0\n");
  REQUIRE(record);
  CHECK(record->sequence == 339);
  CHECK(record->from_kernel);
  CHECK_FALSE(record->continuation);
  CHECK(record->text == "a\nb \\ \\xzz");
  CHECK_FALSE(parse_kmsg("30,1,2,-;systemd[1]: hello")->from_kernel);
  CHECK(parse_kmsg("4,2,2,+; more")->continuation);
  for (const char* bad : {"", ";", "6,1;", "x,1,2,-;a", "6,-1,2,-;a", " SUBSYSTEM=pci"}) CHECK_FALSE(parse_kmsg(bad));
}

TEST_CASE("live: of the kernel log only what the catalogue knows, if the kernel wrote it") {
  SysfsTree tree;
  tree.file("dev/kmsg", std::string("5,0,0,-;Linux version 6.12 (secret@secret)\n6,1,10,-;") + kAtomics +
                            "\n SUBSYSTEM=pci\n DEVICE=+pci:0000:03:00.0\n12,2,20,-;" + kAtomics + "\n");
  const auto r = tree.read();
  CHECK(r.host.kernel_log.is(true));
  REQUIRE(r.log.size() == 1);
  CHECK(r.log[0].text == kAtomics);
  CHECK(r.log[0].device.is(parse_address("03:00.0").value()));
  REQUIRE(r.sources.size() == 2);
  CHECK(r.sources[r.log[0].place.source].kind == SourceKind::kernel_log);
}

TEST_CASE("live: a kernel log without its beginning, or with a hole, is not whole") {
  SysfsTree tree;
  tree.file("dev/kmsg", "6,7,10,-;a\n6,8,11,-;b\n");
  CHECK(tree.read().host.kernel_log.is(false));
  tree.file("dev/kmsg", "6,0,10,-;a\n6,2,11,-;b\n");
  CHECK(tree.read().host.kernel_log.is(false));
  tree.file("dev/kmsg", "no record\n");
  CHECK(is_unknown_for(tree.read().host.kernel_log, Reason::damaged));
  tree.remove("dev/kmsg").fifo("dev/kmsg");
  CHECK(is_unknown_for(tree.read().host.kernel_log, Reason::damaged));
  tree.remove("dev/kmsg");
  CHECK(is_unknown_for(tree.read().host.kernel_log, Reason::not_in_input));
}

TEST_CASE("live: a line that comes in pieces") {
  SysfsTree tree;
  tree.file("dev/kmsg", "6,0,10,c;amdgpu 0000:03:00.0: amdgpu: PCIE atomic \n6,1,11,+;ops is not supported\n");
  const auto r = tree.read();
  REQUIRE(r.log.size() == 1);
  CHECK(r.log[0].text == kAtomics);
}
