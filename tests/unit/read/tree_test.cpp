#include "read/tree/tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace gpucoop;

namespace {

std::vector<Tree> read_trees(const std::string& text) {
  TreeParser parser;
  std::uint32_t number = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    (void)parser.take(std::string_view(text).substr(begin, end - begin), {0, ++number});
    begin = end + 1;
  }
  return parser.finish();
}

const PciDevice* device(const Tree& tree, const char* address) {
  for (const PciDevice& d : tree.devices) {
    if (d.address == *parse_address(address)) return &d;
  }
  return nullptr;
}

/// `00:01.1` of the parent, `root` on a root bus, `?` where unknown, `none` where there is no such device.
std::string parent(const Tree& tree, const char* address) {
  const PciDevice* d = device(tree, address);
  if (d == nullptr) return "none";
  if (d->stated_parent.is_absent()) return "root";
  return d->stated_parent.is_known() ? short_form(d->stated_parent.value()) : "?";
}

}  // namespace

TEST_CASE("a tree gives every device its parent, and bridges their buses") {
  const auto trees = read_trees(
      R"(-[0000:00]-+-00.0
           +-01.1-[01-03]----00.0-[02-03]----00.0-[03]--+-00.0
           |                                            \-00.1
           +-02.1-[04]--
           +-02.2-[05]----00.0
           \-18.7
)");
  REQUIRE(trees.size() == 1);
  const Tree& tree = trees[0];
  CHECK(tree.whole);
  CHECK_FALSE(tree.has_names);
  CHECK(tree.problems.empty());
  CHECK(tree.first.line == 1);
  CHECK(tree.devices.size() == 10);
  CHECK(parent(tree, "00:00.0") == "root");
  CHECK(parent(tree, "01:00.0") == "00:01.1");
  CHECK(parent(tree, "02:00.0") == "01:00.0");
  CHECK(parent(tree, "03:00.0") == "02:00.0");
  CHECK(parent(tree, "03:00.1") == "02:00.0");
  CHECK(parent(tree, "05:00.0") == "00:02.2");
  CHECK(parent(tree, "00:18.7") == "root");
  CHECK(device(tree, "00:01.1")->buses.is(BusNumbers{0, 1, 3}));
  CHECK(device(tree, "00:02.1")->buses.is(BusNumbers{0, 4, 4}));
  CHECK_FALSE(device(tree, "03:00.0")->buses.is_known());
  CHECK(device(tree, "03:00.1")->stated_root_bus.is(0));
  CHECK(device(tree, "03:00.1")->places.front().line == 3);
}

TEST_CASE("several roots, other domains and the names and ids of -tvnn") {
  const auto trees = read_trees(
      R"(-+-[10000:e0]-+-06.0-[e1]----00.0  Some Vendor NVMe [Fast] [1234:5678]
 |            \-06.2
 +-[0000:80]-+-00.0-[81]--
 |           \-01.0-[82]--+-00.0  Advanced Micro Devices, Inc. [AMD/ATI] Navi 21 [1002:73bf]
 |                        \-00.1  1002:ab28
 \-[0000:00]---00.0  Intel Corporation DMI2 [8086:6f00]
)");
  REQUIRE(trees.size() == 1);
  const Tree& tree = trees[0];
  CHECK(tree.whole);
  CHECK(tree.has_names);
  CHECK(tree.devices.size() == 8);
  CHECK(parent(tree, "10000:e1:00.0") == "10000:e0:06.0");
  CHECK(device(tree, "10000:e1:00.0")->stated_root_bus.is(0xe0));
  CHECK(device(tree, "10000:e1:00.0")->name.is("Some Vendor NVMe [Fast]"));
  CHECK(device(tree, "10000:e1:00.0")->vendor_id.is(0x1234));
  CHECK(device(tree, "82:00.0")->name.is("Advanced Micro Devices, Inc. [AMD/ATI] Navi 21"));
  CHECK(device(tree, "82:00.0")->device_id.is(0x73bf));
  CHECK(device(tree, "82:00.1")->device_id.is(0xab28));
  CHECK_FALSE(device(tree, "82:00.1")->name.is_known());
  CHECK(parent(tree, "82:00.1") == "80:01.0");
  CHECK(device(tree, "82:00.1")->stated_root_bus.is(0x80));
  CHECK(parent(tree, "00:00.0") == "root");
}

TEST_CASE("the domain may be missing, and one device alone is a tree") {
  const auto trees = read_trees("-[00]-+-00.0\n      \\-01.0-[01]----00.0\n");
  REQUIRE(trees.size() == 1);
  CHECK(trees[0].whole);
  CHECK(parent(trees[0], "01:00.0") == "00:01.0");
  const auto alone = read_trees("-[0000:00]---00.0\n");
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].whole);
  CHECK(alone[0].devices.size() == 1);
}

TEST_CASE("a second bus behind one bridge, as SR-IOV functions make it") {
  const auto trees = read_trees(
      R"(-[0000:00]-+-00.0
           \-01.0-[01-02]--+-[0000:02]-+-00.0
                           |           \-00.1
                           \-[0000:01]---00.0
)");
  REQUIRE(trees.size() == 1);
  CHECK(trees[0].whole);
  CHECK(parent(trees[0], "02:00.1") == "00:01.0");
  CHECK(parent(trees[0], "01:00.0") == "00:01.0");
  CHECK(device(trees[0], "02:00.1")->stated_root_bus.is(0));
}

TEST_CASE("continuation lines that slipped by one or more columns keep their place") {
  for (const int slip : {-2, -1, 1, 3, 6}) {
    CAPTURE(slip);
    std::string text = "-[0000:00]-+-00.0\n";
    const std::string blanks(static_cast<std::size_t>(11 + slip), ' ');
    text += blanks + "+-01.1-[01-03]----00.0-[02-03]----00.0-[03]--+-00.0 // the card\n";
    text += blanks + "|                                            \\-00.1\n";
    text += blanks + "\\-08.1-[08]----00.0 // on the CPU\n";
    const auto trees = read_trees(text);
    REQUIRE(trees.size() == 1);
    CHECK(trees[0].whole);
    CHECK(trees[0].problems.empty());
    CHECK(parent(trees[0], "03:00.1") == "02:00.0");
    CHECK(parent(trees[0], "08:00.0") == "00:08.1");
    CHECK_FALSE(device(trees[0], "03:00.0")->name.is_known());
    CHECK_FALSE(device(trees[0], "08:00.0")->name.is_known());
  }
}

TEST_CASE("a signed mail's dash before the first line") {
  const auto trees = read_trees("- -[0000:00]-+-00.0\n           \\-01.0-[01]----00.0\n");
  REQUIRE(trees.size() == 1);
  CHECK(trees[0].whole);
  CHECK(parent(trees[0], "01:00.0") == "00:01.0");
}

TEST_CASE("tabs in place of eight blanks") {
  const auto trees = read_trees("-[0000:00]-+-00.0\n\t   +-01.0-[01]--+-00.0\n\t   |\t\t\\-00.1\n\t   \\-02.0\n");
  REQUIRE(trees.size() == 1);
  CHECK(trees[0].whole);
  CHECK(parent(trees[0], "01:00.1") == "00:01.0");
  CHECK(parent(trees[0], "00:02.0") == "root");
}

TEST_CASE("a tree that people cut to one branch is read, and is not whole") {
  const auto trees = read_trees(
      R"(-[0000:00]-+-00.0  Vendor Root
           +-01.2-[02-0a]----00.0-[03-0a]--+-02.0-[06]--+-00.0  Vendor Card
                                                        \-00.1  Vendor Audio

text
)");
  REQUIRE(trees.size() == 1);
  CHECK_FALSE(trees[0].whole);
  CHECK(parent(trees[0], "06:00.1") == "03:02.0");
  CHECK(parent(trees[0], "03:02.0") == "02:00.0");
}

TEST_CASE("a tree without its begin gives no device a parent, up to the next root") {
  const auto trees = read_trees(
      R"( |           |            \-00.3
 |           +-01.4-[48]----00.0
 |           \-08.1-[4b]----00.0
 \-[0000:60]-+-00.0
             \-07.1-[61]----00.0
)");
  REQUIRE(trees.size() == 2);
  CHECK(trees[0].devices.empty());
  REQUIRE(trees[0].problems.size() == 1);
  CHECK(trees[0].problems[0].place.line == 1);
  CHECK_FALSE(trees[1].whole);
  CHECK(parent(trees[1], "61:00.0") == "60:07.1");
  CHECK(device(trees[1], "61:00.0")->stated_root_bus.is(0x60));
}

TEST_CASE("a line that fits no open branch is left out and named") {
  const auto trees = read_trees(
      R"(-[0000:00]-+-00.0
           +-01.0-[01]--+-00.0
           |            \-00.1
                                \-05.0
           \-02.0
)");
  REQUIRE(trees.size() == 1);
  CHECK_FALSE(trees[0].whole);
  REQUIRE(trees[0].problems.size() == 1);
  CHECK(trees[0].problems[0].place.line == 4);
  CHECK(parent(trees[0], "00:05.0") == "none");
  CHECK(parent(trees[0], "01:05.0") == "none");
  CHECK(parent(trees[0], "00:02.0") == "root");
}

TEST_CASE("cut in the middle of a line or before the last branch") {
  const auto trees = read_trees("-[0000:00]-+-00.0\n           +-01.0-[01]--+-00.0\n           |            \\-0");
  REQUIRE(trees.size() == 1);
  CHECK_FALSE(trees[0].whole);
  CHECK(trees[0].devices.size() == 3);
}

TEST_CASE("names that wrapped do not end a tree, other text does") {
  const auto trees = read_trees(
      R"(-[0000:00]-+-00.0  A Long Vendor
Name [1111:2222]
           \-01.0-[01]----00.0  Other
a
b
c
d
e
           \-02.0
)");
  REQUIRE(trees.size() == 2);
  CHECK(parent(trees[0], "01:00.0") == "00:01.0");
  CHECK(trees[1].devices.empty());
  CHECK(trees[1].problems.size() == 1);
}

TEST_CASE("the same tree twice is two trees; an address twice in one is a problem") {
  const std::string once = "-[0000:00]-+-00.0\n           \\-01.0\n";
  const auto twice = read_trees(once + "\n" + once);
  REQUIRE(twice.size() == 2);
  CHECK(twice[0].whole);
  CHECK(twice[1].whole);
  const auto doubled = read_trees("-[0000:00]-+-00.0\n           \\-00.0\n");
  REQUIRE(doubled.size() == 1);
  CHECK(doubled[0].devices.size() == 1);
  CHECK(doubled[0].problems.size() == 1);
  CHECK_FALSE(doubled[0].whole);
}

TEST_CASE("a tree asked for with -s has no known parent and is not whole") {
  const auto trees =
      read_trees("0000:00:01.1-[01-02]----00.0-[02]--+-00.0\n                                   \\-00.1\n");
  REQUIRE(trees.size() == 1);
  CHECK_FALSE(trees[0].whole);
  CHECK(parent(trees[0], "00:01.1") == "?");
  CHECK(parent(trees[0], "02:00.1") == "01:00.0");
  CHECK_FALSE(device(trees[0], "02:00.1")->stated_root_bus.is_known());
}

TEST_CASE("a dump of a few devices looks like a tree with every branch closed") {
  const auto trees = read_trees("-[0000:00]---1c.0-[02]----00.0\n");
  REQUIRE(trees.size() == 1);
  CHECK_FALSE(trees[0].whole);
  CHECK(parent(trees[0], "02:00.0") == "00:1c.0");
}

TEST_CASE("children of a bridge without bus numbers have no address") {
  const auto trees = read_trees("-[0000:00]-+-00.0\n           \\-01.0---00.0\n");
  REQUIRE(trees.size() == 1);
  CHECK(trees[0].devices.size() == 2);
  CHECK(trees[0].problems.size() == 1);
}

TEST_CASE("tables, lists and drawings are no trees") {
  TreeParser parser;
  for (const char* line :
       {"+-----------------------------------------+------+", "|   0  NVIDIA RTX 6000 Ada     On   | 00000000:C1:00.0",
        "|-----+-----|", "- [ ] item", "-[x]", "00:01.0 PCI bridge: Vendor", "+-02x", "\\-[0000:zz]-",
        "0000:03:00.0 VGA compatible controller: Vendor", "", "   ", "\t\tLnkSta:\tSpeed 8GT/s, Width x16"}) {
    CAPTURE(line);
    CHECK_FALSE(parser.take(line, {0, 1}));
  }
  CHECK(parser.finish().empty());
}

TEST_CASE("a very long tree and a very deep line take linear time") {
  std::string text = "-[0000:00]-+-00.0\n";
  for (int i = 0; i < 20000; ++i) text += "           |            +-00.1\n";
  std::string deep = "-[0000:00]-+-00.0-[01]";
  for (int i = 0; i < 2000; ++i) deep += "--+-00.0-[01]";
  const auto trees = read_trees(text + deep + "\n");
  REQUIRE(trees.size() == 2);
  CHECK(trees[0].problems.size() <= 16);
  CHECK(trees[1].devices.size() <= 2);
}
