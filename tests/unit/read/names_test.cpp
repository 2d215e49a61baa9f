#include "read/live/names.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

namespace gpucoop {
namespace {

constexpr std::string_view kList =
    "# a comment\n"
    "1002  Advanced Micro Devices, Inc. [AMD/ATI]\n"
    "\t7551  Navi 48 [Radeon AI PRO R9700]\n"
    "\t\t1002 0e0b  a card of it\n"
    "\t7478  Navi 10 XL Upstream Port of PCI Express Switch\n"
    "10de  NVIDIA Corporation\n"
    "\t7551  not the same\n"
    "\t2335  GH100 [H200 SXM 141GB]\n"
    "10de  NVIDIA once more\n"
    "\t2335  another H200\n"
    "C 03  Display controller\n"
    "\t00  VGA compatible controller";

PciDevice device(std::uint16_t vendor, std::uint16_t id) {
  PciDevice made;
  made.vendor_id = vendor;
  made.device_id = id;
  return made;
}

/// Hands the list over in pieces of `size` bytes. Gives how many bytes were wanted.
std::size_t name_all(std::vector<PciDevice>& devices, std::size_t size, std::string_view list = kList) {
  NameFinder finder(devices);
  std::size_t at = 0;
  bool more = true;
  for (; more && at < list.size(); at += size) more = finder.take(list.substr(at, size));
  finder.finish();
  return at;
}

TEST_CASE("names come from a list in pieces of any size, and the first entry counts") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{64}, kList.size()}) {
    CAPTURE(size);
    std::vector<PciDevice> devices{device(0x1002, 0x7551), device(0x10de, 0x2335), device(0x10de, 0x2335),
                                   device(0x8086, 0x0001), PciDevice()};
    name_all(devices, size);
    CHECK(devices[0].name.value_or("") == "Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 [Radeon AI PRO R9700]");
    CHECK(devices[1].name.value_or("") == "NVIDIA Corporation GH100 [H200 SXM 141GB]");
    CHECK(devices[2].name.value_or("") == "NVIDIA Corporation GH100 [H200 SXM 141GB]");
    CHECK_FALSE(devices[3].name.is_known());
    CHECK_FALSE(devices[4].name.is_known());
  }
}

TEST_CASE("a list is read no further than to the last name that is wanted") {
  std::vector<PciDevice> devices{device(0x1002, 0x7551)};
  CHECK(name_all(devices, 16) < kList.size() / 2);
  std::vector<PciDevice> none;
  CHECK(name_all(none, 16) == 16);
}

TEST_CASE("the last line of a list of names may have no end, and a line may be too long") {
  std::vector<PciDevice> devices{device(0x1002, 0x0001), device(0x1002, 0x0002)};
  const std::string list = "1002  AMD\n\t0001  " + std::string(10000, 'x') + "\n\t0002  two";
  name_all(devices, 100, list);
  CHECK(devices[0].name.is_known());
  CHECK(devices[1].name.value_or("") == "AMD two");
}

}  // namespace
}  // namespace gpucoop
