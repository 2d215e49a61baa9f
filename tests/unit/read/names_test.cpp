#include "read/live/names.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpucoop {
namespace {

constexpr std::string_view kList =
    "# a comment\n"
    "1002  Advanced Micro Devices, Inc. [AMD/ATI]\n"
    "# devices follow, and comments do not end them\n"
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

/// Gives how many bytes of the list were read.
std::size_t name_all(std::vector<PciDevice>& devices, std::string_view list, std::size_t most = 1U << 20) {
  std::size_t read = 0;
  take_names(
      [&](std::size_t at, std::span<std::uint8_t> room) {
        const auto part = list.substr(std::min(at, list.size()), std::min(room.size(), most));
        std::copy(part.begin(), part.end(), room.begin());
        read += part.size();
        return part.size();
      },
      list.size(), devices);
  return read;
}

/// Vendors of 64 devices each, with the ids 1, 3, 5, …: 190 kB.
std::string long_list() {
  std::string list = "# a comment\n\n";
  for (unsigned vendor = 1; vendor < 200; vendor += 2) {
    list += fmt::format("{:04x}  Vendor {}\n", vendor, vendor);
    for (unsigned id = 0; id < 64; ++id) {
      list += fmt::format("\t{:04x}  Device {} of {}\n\t\t{:04x} 0001  Card\n", id, id, vendor, vendor + 1);
    }
  }
  return list;
}

TEST_CASE("names come from a list that is read in pieces of any size, and the first entry counts") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{64}, kList.size()}) {
    CAPTURE(size);
    std::vector<PciDevice> devices{device(0x1002, 0x7551), device(0x10de, 0x2335), device(0x10de, 0x2335),
                                   device(0x8086, 0x0001), device(0x10de, 0xffff), PciDevice()};
    name_all(devices, kList, size);
    CHECK(devices[0].name.value_or("") == "Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 [Radeon AI PRO R9700]");
    CHECK(devices[1].name.value_or("") == "NVIDIA Corporation GH100 [H200 SXM 141GB]");
    CHECK(devices[2].name.value_or("") == "NVIDIA Corporation GH100 [H200 SXM 141GB]");
    CHECK_FALSE(devices[3].name.is_known());
    CHECK_FALSE(devices[4].name.is_known());
    CHECK_FALSE(devices[5].name.is_known());
  }
}

TEST_CASE("every vendor of a long list is found, and little of the list is read for it") {
  const auto list = long_list();
  for (unsigned vendor = 1; vendor < 200; vendor += 2) {
    CAPTURE(vendor);
    std::vector<PciDevice> devices{device(static_cast<std::uint16_t>(vendor), 63)};
    CHECK(name_all(devices, list) < list.size() / 2);
    CHECK(devices[0].name.value_or("") == fmt::format("Vendor {} Device 63 of {}", vendor, vendor));
  }
}

TEST_CASE("a list that is not in order names the same devices") {
  const auto list = long_list();
  const auto half = list.find("\n0065") + 1;
  const auto turned = list.substr(half) + list.substr(0, half);
  for (unsigned vendor = 1; vendor < 200; vendor += 14) {
    CAPTURE(vendor);
    std::vector<PciDevice> devices{device(static_cast<std::uint16_t>(vendor), 5), device(0x0002, 5)};
    name_all(devices, turned);
    CHECK(devices[0].name.value_or("") == fmt::format("Vendor {} Device 5 of {}", vendor, vendor));
    CHECK_FALSE(devices[1].name.is_known());
  }
}

TEST_CASE("the last line of a list of names may have no end, and a line may be too long") {
  std::vector<PciDevice> devices{device(0x1002, 0x0001), device(0x1002, 0x0002)};
  const std::string list = "1002  AMD\n\t0001  " + std::string(10000, 'x') + "\n\t0002  two";
  name_all(devices, list, 100);
  CHECK(devices[0].name.is_known());
  CHECK(devices[1].name.value_or("") == "AMD two");
}

}  // namespace
}  // namespace gpucoop
