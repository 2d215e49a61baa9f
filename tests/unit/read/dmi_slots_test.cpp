#include "read/host/dmi_slots.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include "read/config_builder.hpp"
#include "read/dmi_builder.hpp"
#include "read/sysfs_tree.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

TEST_CASE("firmware slots: names, widths, generations and addresses") {
  DmiBuilder table;
  table.add(0, {1, 2, 3}, {"Vendor", "1.0"});
  table.slot("PCIEX16(G5)_1", 0xc3, 0x0d, 4, 1, 0x01, 0x00);
  table.slot(" PCIEX1 ", 0xb2, 0x08, 3, 2, 0xff, 0xff).end();
  const auto found = read_dmi_slots(table.bytes());
  CHECK_FALSE(found.damaged);
  REQUIRE(found.slots.size() == 2);
  const auto& first = found.slots[0];
  CHECK(first.designation == "PCIEX16(G5)_1");
  CHECK(first.type.is(0xc3));
  CHECK(first.width.is(16));
  CHECK(first.generation.is(5));
  CHECK(first.slot_id.is(1));
  CHECK(first.in_use.is(true));
  CHECK(first.address.is(parse_address("0000:01:00.0").value()));
  CHECK(first.physical_width.is_absent());
  const auto& second = found.slots[1];
  CHECK(second.designation == "PCIEX1");
  CHECK(second.width.is(1));
  CHECK(second.generation.is(3));
  CHECK(second.in_use.is(false));
  CHECK(second.address.is_absent());
}

TEST_CASE("firmware slots: version 3.4 states the connector's width behind the list of peers") {
  DmiBuilder table;
  // An x8 slot with an x16 connector at 0000:00:1d.4, one peer, generation 4.
  table.add(9, {1, 0xb8, 0x0b, 4, 4, 3, 0, 0, 0, 0, 0, 0x00, 0xec, 0x0b, 1, 0, 0, 0x02, 0x00, 8, 4, 0x0d, 0, 0},
            {"SLOT3"});
  const auto found = read_dmi_slots(table.bytes());
  REQUIRE(found.slots.size() == 1);
  CHECK(found.slots[0].width.is(8));
  CHECK(found.slots[0].physical_width.is(16));
  CHECK(found.slots[0].generation.is(4));
  CHECK(found.slots[0].address.is(parse_address("0000:00:1d.4").value()));
}

TEST_CASE("firmware slots: old and odd structures") {
  DmiBuilder table;
  table.add(9, {1, 0x06, 0x05, 2}, {"PCI1"});                                  // cut after the usage: version 2.0
  table.add(9, {7, 0xaa, 0x02, 9, 4, 1, 0, 0, 0, 0, 0, 0xff, 0xff}, {"one"});  // there is no string 7
  const auto found = read_dmi_slots(table.bytes());
  CHECK_FALSE(found.damaged);
  REQUIRE(found.slots.size() == 2);
  CHECK(found.slots[0].designation == "PCI1");
  CHECK(found.slots[0].width.is_unknown());
  CHECK(found.slots[0].in_use.is_unknown());
  CHECK(found.slots[0].slot_id.is_unknown());
  CHECK(found.slots[0].address.is_absent());
  CHECK(found.slots[1].designation.empty());
  CHECK(found.slots[1].generation.is(1));
}

TEST_CASE("firmware slots: what stands before damage is kept") {
  DmiBuilder table;
  table.slot("SLOT1", 0xaa, 0x0d, 4, 1, 1, 0).slot("SLOT2", 0xaa, 0x0d, 4, 2, 2, 0).end();
  const auto whole = table.bytes();
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const auto found = read_dmi_slots(std::span(whole).first(length));
    CHECK(found.slots.size() <= 2);
    if (length < 17) CHECK(found.slots.empty());
  }
  auto lying = whole;
  lying[1] = 3;  // shorter than its own header
  CHECK(read_dmi_slots(lying).damaged);
  CHECK(read_dmi_slots(lying).slots.empty());
  lying[1] = 200;
  CHECK(read_dmi_slots(lying).damaged);
  CHECK_FALSE(read_dmi_slots({}).damaged);
}

TEST_CASE("live: the firmware's tables") {
  SysfsTree tree;
  CHECK(tree.read().host.slots.is_absent());
  DmiBuilder table;
  table.slot("PCIEX16_1", 0xc3, 0x0d, 4, 1, 1, 0);
  tree.file("sys/firmware/dmi/tables/DMI", table.text());
  auto r = tree.read();
  REQUIRE(r.host.slots.is_known());
  CHECK(r.host.slots.value().size() == 1);
  for (const auto& warning : r.warnings) CHECK(warning.code != "live.firmware-tables");
  tree.file("sys/firmware/dmi/tables/DMI", table.text() + "\x09\x40");
  r = tree.read();
  CHECK(r.host.slots.value().size() == 1);
  CHECK(r.warnings.back().code == "live.firmware-tables");
  REQUIRE(::chmod(tree.path("sys/firmware/dmi/tables/DMI").c_str(), 0) == 0);
  if (::geteuid() != 0) CHECK(is_unknown_for(tree.read().host.slots, Reason::no_root));
}
