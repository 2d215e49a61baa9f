#include "lspci_reading.hpp"

using namespace gpucoop;
using namespace gpucoop::reading;

TEST_CASE("device lines of every form") {
  SUBCASE("with ids, brackets in the name, revision") {
    const auto r =
        read("01:00.0 3D controller [0302]: NVIDIA Corporation GA100 [A100 PCIe 40GB] [10de:20f1] (rev a1)\n");
    const auto& d = device(r, "01:00.0");
    CHECK(d.class_code.is(0x0302));
    CHECK(d.name.is("NVIDIA Corporation GA100 [A100 PCIe 40GB]"));
    CHECK(d.vendor_id.is(0x10de));
    CHECK(d.device_id.is(0x20f1));
    CHECK(d.revision.is(0xa1));
  }
  SUBCASE("numbers only") {
    const auto r = read("01:00.0 0380: 1002:699f (rev c3)\n\tSubsystem: 103c:83b4\n");
    const auto& d = device(r, "01:00.0");
    CHECK(d.class_code.is(0x0380));
    CHECK(d.vendor_id.is(0x1002));
    CHECK(d.device_id.is(0x699f));
    CHECK(d.revision.is(0xc3));
    CHECK(d.subsystem_vendor_id.is(0x103c));
    CHECK(d.subsystem_device_id.is(0x83b4));
    CHECK_FALSE(d.name.is_known());
  }
  SUBCASE("names only, class with brackets and parentheses of its own") {
    const auto r = read(
        "07:01.0 FireWire (IEEE 1394): Texas Instruments TSB43AB23 IEEE-1394a-2000 Controller (PHY/Link)\n"
        "08:00.0 SATA controller: Advanced Micro Devices, Inc. [AMD] FCH SATA Controller [AHCI mode] (rev 51)\n");
    CHECK(device(r, "07:01.0").class_code.is(0x0c00));
    CHECK(device(r, "07:01.0").name.is("Texas Instruments TSB43AB23 IEEE-1394a-2000 Controller (PHY/Link)"));
    CHECK(device(r, "08:00.0").name.is("Advanced Micro Devices, Inc. [AMD] FCH SATA Controller [AHCI mode]"));
    CHECK_FALSE(device(r, "08:00.0").vendor_id.is_known());
  }
  SUBCASE("a device that the list of names lacks") {
    const auto r =
        read("01:00.0 PCI bridge: Intel Corporation Device e2ff (rev 01)\n02:00.0 Class 1200: Device 1ed5:0100\n");
    CHECK(device(r, "01:00.0").device_id.is(0xe2ff));
    CHECK_FALSE(device(r, "01:00.0").vendor_id.is_known());
    CHECK(device(r, "02:00.0").class_code.is(0x1200));
    CHECK(device(r, "02:00.0").vendor_id.is(0x1ed5));
    CHECK(device(r, "02:00.0").device_id.is(0x0100));
  }
  SUBCASE("domains") {
    const auto r = read(
        "10000:e1:00.0 VGA compatible controller: NVIDIA Corporation GA102\n"
        "000d:01:00.0 3D controller: NVIDIA Corporation GA100\n");
    CHECK(device(r, "10000:e1:00.0").class_code.is(0x0300));
    CHECK(device(r, "000d:01:00.0").class_code.is(0x0302));
  }
  SUBCASE("IOMMU groups before the address") {
    const auto r = read(
        "    IOMMU group 17 09:00.0 VGA compatible controller [0300]: Intel Corporation DG2 [8086:56a6] (rev 05)\n"
        "IOMMU Group 2: 00:02.1 PCI bridge [0604]: Advanced Micro Devices, Inc. [AMD] Device [1022:14db]\n");
    CHECK(device(r, "09:00.0").iommu_group.is(17));
    CHECK(device(r, "09:00.0").device_id.is(0x56a6));
    CHECK(device(r, "00:02.1").iommu_group.is(2));
  }
}

TEST_CASE("paths of -PP and -P state the bridges above") {
  SUBCASE("-PP") {
    const auto r = read(
        "00:00.0 Host bridge: Example Corp. Root\n"
        "00:01.0 PCI bridge: Example Corp. Port\n"
        "00:01.0/01:00.0 PCI bridge: Example Corp. Switch\n"
        "00:01.0/01:00.0/02:00.0 VGA compatible controller: Example Corp. GPU\n");
    CHECK(device(r, "02:00.0").stated_parent.is(parse_address("01:00.0").value()));
    CHECK(device(r, "01:00.0").stated_parent.is(parse_address("00:01.0").value()));
    CHECK(device(r, "00:01.0").stated_parent.is_absent());
    CHECK(device(r, "00:01.0").stated_root_bus.is(0));
  }
  SUBCASE("-P: the bridges tell the buses") {
    const auto r = read(
        "00:01.0 PCI bridge: Example Corp. Port\n\tBus: primary=00, secondary=05, subordinate=06, sec-latency=0\n"
        "00:01.0/00.0 PCI bridge: Example Corp. Switch\n\tBus: primary=05, secondary=06, subordinate=06, "
        "sec-latency=0\n"
        "00:01.0/00.0/00.0 VGA compatible controller: Example Corp. GPU\n");
    CHECK(device(r, "06:00.0").class_code.is(0x0300));
    CHECK(device(r, "06:00.0").stated_parent.is(parse_address("05:00.0").value()));
  }
  SUBCASE("-P without buses: not placed, and said so") {
    const auto r =
        read("00:01.0 PCI bridge: Example Corp. Port\n00:01.0/00.0 VGA compatible controller: Example Corp. GPU\n");
    CHECK(r.devices.size() == 1);
    CHECK(warns(r, "input.header-without-address"));
  }
}

TEST_CASE("lines that only look like devices") {
  for (const char* line : {"0000:01:00.0: PCIE atomic ops is not supported", "amdgpu 0000:01:00.0: amdgpu: failed",
                           "01:00.0 is my card: it does not work", "the card 01:00.0 VGA compatible controller: no",
                           "pci 0000:01:00.0: [1002:73bf] type 00 class 0x030000", "0000:0c:00.0 @80 40",
                           "|   0  NVIDIA RTX 6000 Ada      Off |   00000000:C1:00.0 Off |", "01:00.0 0: 1"}) {
    CAPTURE(line);
    const auto r = read(std::string("02:00.0 Audio device: Example Corp. Sound\n\n") + line + "\n");
    CHECK(r.devices.size() == 1);
  }
}

TEST_CASE("details of a device") {
  const auto r = read(kTwoDevices);
  const auto& port = device(r, "00:01.0");
  CHECK(port.header_type.is(1));
  CHECK(port.buses.is(BusNumbers{0, 0x0b, 0x0b}));
  CHECK(port.numa_node.is(1));
  CHECK(port.iommu_group.is(7));
  CHECK(port.driver.is("pcieport"));
  CHECK(port.subsystem_name.is("Example Corp. GPP Bridge"));
  const auto& card = device(r, "0b:00.0");
  CHECK(card.header_type.is(0));
  CHECK(card.buses.is_absent());
  CHECK(card.physical_slot.is("12"));
  REQUIRE(card.bars.size() == 4);
  CHECK(card.bars[0].size.is(std::uint64_t{32} << 30));
  CHECK(card.bars[0].is64bit.is(true));
  CHECK(card.bars[0].prefetchable.is(true));
  CHECK(card.bars[1].assigned.is(false));
  CHECK_FALSE(card.bars[1].size.is_known());
  CHECK(card.bars[2].memory.is(false));
  CHECK(card.bars[3].prefetchable.is(false));
  CHECK(to_string(r, card.places.front()) == "host.txt:49");
}

TEST_CASE("a driver is absent only where it would have been printed") {
  const auto r = read(kTwoDevices);
  CHECK(device(r, "0b:00.0").driver.is_absent());
  CHECK(device(r, "0b:00.0").modules == std::vector<std::string>{"amdgpu"});
  const auto list =
      read("00:00.0 Host bridge: Example Corp. Root\n01:00.0 VGA compatible controller: Example Corp. GPU\n");
  CHECK(device(list, "01:00.0").driver.is_unknown());
}

TEST_CASE("-v: groups and nodes in Flags, regions without numbers, and a word about -vv") {
  const auto r = read(
      "03:00.0 VGA compatible controller: Intel Corporation DG2 [Arc A770] (prog-if 00 [VGA controller])\n"
      "\tFlags: bus master, fast devsel, latency 0, NUMA node 1, IOMMU group 19\n"
      "\tMemory at 93000000 (64-bit, non-prefetchable) [size=16M]\n"
      "\tMemory at 6000000000 (64-bit, prefetchable) [size=16G]\n"
      "\tCapabilities: [70] Express Endpoint, MSI 00\n");
  const auto& d = device(r, "03:00.0");
  CHECK(d.iommu_group.is(19));
  CHECK(d.numa_node.is(1));
  REQUIRE(d.bars.size() == 2);
  CHECK(d.bars[1].index == 2);
  CHECK(d.bars[1].size.is(std::uint64_t{16} << 30));
  CHECK(d.express.value().type.is(PortType::endpoint));
  CHECK(warned_at(r, "input.no-link-lines") == "host.txt:1");
}

TEST_CASE("without root the registers are unknown for that reason") {
  const auto r = read(
      "01:00.0 VGA compatible controller: NVIDIA Corporation GA102\n\tControl: I/O+\n\tStatus: Cap+ 66MHz-\n"
      "\tCapabilities: <access denied>\n\tKernel driver in use: nvidia\n");
  const auto& d = device(r, "01:00.0");
  CHECK(d.access_denied);
  CHECK(unknown_because(d.express, Reason::no_root));
  CHECK(unknown_because(d.acs, Reason::no_root));
  CHECK(d.driver.is("nvidia"));
  CHECK(warned_at(r, "input.access-denied") == "host.txt:4");
  CHECK_FALSE(warns(r, "input.no-link-lines"));
}

TEST_CASE("a device that has fallen off the bus") {
  const auto r = read(
      "03:00.0 VGA compatible controller: Intel Corporation DG2 (rev ff) (prog-if ff)\n"
      "\t!!! Unknown header type 7f\n\tKernel driver in use: vfio-pci\n");
  const auto& d = device(r, "03:00.0");
  CHECK(d.lost);
  CHECK(unknown_because(d.express, Reason::device_lost));
  CHECK_FALSE(d.revision.is_known());
}

TEST_CASE("revision ff of a device that answers is no sign of loss") {
  const auto r = read(
      "03:00.0 VGA compatible controller: Example Corp. GPU (rev ff)\n"
      "\tControl: I/O+\n\tCapabilities: [40] Express (v2) Endpoint, MSI 00\n");
  CHECK_FALSE(device(r, "03:00.0").lost);
  CHECK(read("03:00.0 VGA compatible controller: Example Corp. GPU (rev ff)\n").devices.front().lost);
}

TEST_CASE("a device without capabilities has no PCI Express") {
  const auto r = read(kTwoDevices);
  CHECK(device(r, "00:00.0").express.is_absent());
  const auto list = read("00:00.0 Host bridge: Example Corp. Root\n");
  CHECK(unknown_because(device(list, "00:00.0").express, Reason::not_in_input));
}

TEST_CASE("whether a listing is complete") {
  CHECK(read(kTwoDevices).listing_complete.is(true));
  CHECK(read("00:00.0 Host bridge: Example Corp. Root\n00:01.0 PCI bridge: Example Corp. Port\n"
             "01:00.0 VGA compatible controller: Example Corp. GPU\n")
            .listing_complete.is(true));
  SUBCASE("no bridge leads to the bus of a device") {
    CHECK(read("00:00.0 Host bridge: Example Corp. Root\n01:00.0 VGA compatible controller: Example Corp. GPU\n")
              .listing_complete.is_unknown());
  }
  SUBCASE("nothing below a bridge without root") {
    const auto with_window = [](const std::string& window) {
      return read(
                 "00:00.0 Host bridge: Example Corp. Root\n"
                 "00:01.0 PCI bridge: Example Corp. Port\n"
                 "\tBus: primary=00, secondary=01, subordinate=01, sec-latency=0\n" +
                 window +
                 "\tCapabilities: <access denied>\n"
                 "00:02.0 PCI bridge: Example Corp. Port\n"
                 "\tBus: primary=00, secondary=02, subordinate=02, sec-latency=0\n"
                 "\tCapabilities: <access denied>\n"
                 "02:00.0 VGA compatible controller: Example Corp. GPU\n")
          .listing_complete;
    };
    CHECK(with_window("\tMemory behind bridge: f0000000-f00fffff [size=1M]\n").is_unknown());
    CHECK(with_window("\tMemory behind bridge: None\n"
                      "\tPrefetchable memory behind bridge: 0000007000000000-000000780fffffff [size=33024M]\n")
              .is_unknown());
    CHECK(with_window("\tMemory behind bridge: [disabled]\n").is(true));
    CHECK(with_window("\tMemory behind bridge: fff00000-000fffff [disabled]\n").is(true));
    CHECK(with_window("\tMemory behind bridge: fff00000-000fffff\n").is(true));
  }
  SUBCASE("one device") {
    CHECK(read("01:00.0 VGA compatible controller: Example Corp. GPU\n").listing_complete.is(false));
  }
  SUBCASE("a part that was asked for") {
    CHECK(read("$ lspci | grep -e Host -e VGA\n00:00.0 Host bridge: Example Corp. Root\n"
               "01:00.0 VGA compatible controller: Example Corp. GPU\n")
              .listing_complete.is(false));
    CHECK(read("$ lspci | grep -i -e bridge -e VGA\n00:00.0 Host bridge: Example Corp. Root\n"
               "00:01.0 PCI bridge: Example Corp. Port\n01:00.0 VGA compatible controller: Example Corp. GPU\n")
              .listing_complete.is_unknown());
  }
  SUBCASE("does not begin at the begin") {
    CHECK(read("00:01.0 PCI bridge: Example Corp. Port\n01:00.0 VGA compatible controller: Example Corp. GPU\n")
              .listing_complete.is_unknown());
  }
  SUBCASE("a function without its function 0") {
    CHECK(read("00:00.0 Host bridge: Example Corp. Root\n00:01.1 PCI bridge: Example Corp. Port\n")
              .listing_complete.is_unknown());
  }
  SUBCASE("a bridge is missing") {
    CHECK(
        read("00:00.0 Host bridge: Example Corp. Root\n"
             "00:01.0 PCI bridge: Example Corp. Port\n\tBus: primary=00, secondary=01, subordinate=03, sec-latency=0\n"
             "03:00.0 VGA compatible controller: Example Corp. GPU\n")
            .listing_complete.is(false));
  }
}

TEST_CASE("kernel lines and words about the host are kept beside the devices") {
  const auto r = read(
      "Linux somehost 6.8.0-45-generic #45-Ubuntu SMP x86_64 GNU/Linux\n\n"
      "[    4.5] amdgpu 0000:01:00.0: amdgpu: PCIE atomic ops is not \nsupported\n\n"
      "01:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31\n");
  REQUIRE(r.log.size() == 1);
  CHECK(r.log[0].cause == "no-atomics");
  CHECK(r.log[0].device.is(parse_address("01:00.0").value()));
  CHECK(to_string(r, r.log[0].place) == "host.txt:3");
  CHECK(r.host.kernel.is("6.8.0-45-generic"));
}
