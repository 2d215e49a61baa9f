#include "analyse/kernel_bandwidth.hpp"

#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

TEST_CASE("the kernel's bandwidth line is read, in its old and new spelling") {
  const auto now = read_kernel_bandwidth(
      "pci 0000:03:00.0: 252.056 Gb/s available PCIe bandwidth, limited by 32.0 GT/s PCIe x8 link at 0000:00:01.1 "
      "(capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)");
  REQUIRE(now);
  CHECK(now->gbytes_per_s == doctest::Approx(31.507));
  CHECK(now->speed == LinkSpeed::gen5);
  CHECK(now->width == 8);
  CHECK(now->at.is(at("00:01.1")));
  const auto old =
      read_kernel_bandwidth("8.000 Gb/s available PCIe bandwidth, limited by 5 GT/s x2 link at 0000:00:1c.0");
  REQUIRE(old);
  CHECK(old->gbytes_per_s == doctest::Approx(1.0));
  CHECK(old->speed == LinkSpeed::gen2);
  const auto nowhere =
      read_kernel_bandwidth("8.000 Gb/s available PCIe bandwidth, limited by 5.0 GT/s PCIe x2 link at <unknown>");
  REQUIRE(nowhere);
  CHECK_FALSE(nowhere->at.is_known());
}

TEST_CASE("lines that are cut or impossible give nothing") {
  for (const char* line : {"", "252.056 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x8 link)",
                           "252.056 Gb/s available PCIe bandwidth, limited by 32.0 GT/s PCIe x8",
                           "x Gb/s available PCIe bandwidth, limited by "
                           "32.0 GT/s PCIe x8 link at 0000:00:01.1",
                           "1 Gb/s available PCIe bandwidth, limited by 33 GT/s x8 link at 0000:00:01.1",
                           "1 Gb/s available PCIe bandwidth, limited by 8 GT/s x7 link at 0000:00:01.1",
                           "1 Gb/s available PCIe bandwidth, limited by 8 GT/s x link at 0000:00:01.1"}) {
    CAPTURE(line);
    CHECK_FALSE(read_kernel_bandwidth(line));
  }
}

TEST_CASE("without registers the kernel's line gives the rate; with them it changes nothing") {
  Host host;
  host.bridge("00:01.1", 1, 1, PortType::root_port);
  host.gpu("01:00.0", 0x10de, 0x2684);
  LogLine line{"pcie-bandwidth-limited",
               "nvidia 0000:01:00.0: 15.752 Gb/s available PCIe bandwidth, limited by 16.0 GT/s PCIe x1 link at "
               "0000:00:01.1 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)",
               at("01:00.0"),
               {0, 7}};
  host.recording.log.push_back(line);
  CHECK(gpu_at(host.judge(), "01:00.0").link.gbytes_per_s.value() == doctest::Approx(31.5).epsilon(0.001));
  host.hide_capabilities();
  const auto link = gpu_at(host.judge(), "01:00.0").link;
  CHECK(link.gbytes_per_s.value() == doctest::Approx(1.969));
  CHECK(link.width.is(1));
  CHECK(link.at.is(at("00:01.1")));
  CHECK(link.state == LinkState::unknown);
  CHECK(link.why.find("host.txt:7") != std::string::npos);

  host.recording.log[0].text =
      "xe 0000:01:00.0: 2.000 Gb/s available PCIe bandwidth, limited by 2.5 GT/s PCIe x1 link at 0000:00:01.1";
  host["01:00.0"].vendor_id = std::uint16_t{0x8086};
  CHECK_FALSE(gpu_at(host.judge(), "01:00.0").link.gbytes_per_s.is_known());
}
