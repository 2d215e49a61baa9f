#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

TEST_CASE("GPUs are the functions of class 03 and 12; audio functions and bridges are none") {
  Host host;
  host.bridge("00:01.1", 1, 1, PortType::root_port);
  host.gpu("01:00.0");
  host.device("01:00.1", 0x1002, 0xaaf0, 0x0403);
  host.device("02:00.0", 0x1002, 0x74a1, 0x1200);
  host.device("03:00.0", 0x10de, 0x1db6, 0x0302);
  const auto t = host.judge();
  REQUIRE(t.gpus.size() == 3);
  CHECK(t.gpus[0].address == at("01:00.0"));
  CHECK(t.gpus[1].vendor == Vendor::amd);
  CHECK(t.gpus[2].vendor == Vendor::nvidia);
}

TEST_CASE("the vendor comes from the id, else from the words of the name") {
  Host host;
  host.device("01:00.0", 0x1022, 0x15ff, 0x0300);
  for (const auto* a : {"02:00.0", "03:00.0", "04:00.0", "05:00.0"}) {
    host.device(a, 0, 0, 0x0300).vendor_id = Known<std::uint16_t>{};
  }
  host["02:00.0"].name = std::string("NVIDIA Corporation GA102 [GeForce RTX 3090]");
  host["03:00.0"].name = std::string("Intel Corporation Battlemage G21 [Arc B580]");
  host["04:00.0"].name = std::string("Advanced Micro Devices, Inc. [AMD/ATI] Vega 20");
  const auto t = host.judge();
  CHECK(gpu_at(t, "01:00.0").vendor == Vendor::amd);
  CHECK(gpu_at(t, "02:00.0").vendor == Vendor::nvidia);
  CHECK(gpu_at(t, "03:00.0").vendor == Vendor::intel);
  CHECK(gpu_at(t, "04:00.0").vendor == Vendor::amd);
  CHECK(gpu_at(t, "05:00.0").vendor == Vendor::other);
}

TEST_CASE("displays without compute are told from accelerators") {
  Host host;
  host.device("01:00.0", 0x1a03, 0x2000, 0x0300);
  host.device("02:00.0", 0x102b, 0x0534, 0x0300);
  host.device("03:00.0", 0x1af4, 0x1050, 0x0380);
  host.device("04:00.0", 0x1da3, 0x1020, 0x1200);
  host.device("05:00.0", 0x1d94, 0x54b7, 0x0380);
  host.device("06:00.0", 0x8086, 0x7d1d, 0x1200);
  host.device("07:00.0", 0x8086, 0x0bda, 0x0380);
  const auto t = host.judge();
  CHECK_FALSE(gpu_at(t, "01:00.0").compute);
  CHECK_FALSE(gpu_at(t, "02:00.0").compute);
  CHECK_FALSE(gpu_at(t, "03:00.0").compute);
  CHECK(gpu_at(t, "04:00.0").compute);
  CHECK(gpu_at(t, "05:00.0").compute);
  CHECK_FALSE(gpu_at(t, "06:00.0").compute);
  CHECK(gpu_at(t, "07:00.0").compute);
  CHECK(gpu_at(t, "01:00.0").vendor == Vendor::other);
}

TEST_CASE("GPUs inside the processor: by port type, place, internal bridge, security processor, or id") {
  Host host;
  host.gpu("00:02.0", 0x8086, 0xffff).express = Known<PciExpress>{};
  CHECK(gpu_at(host.judge(), "00:02.0").integrated);
  CHECK(gpu_at(host.judge(), "00:02.0").chain[0].role == Role::integrated_endpoint);

  Host behind;
  behind.bridge("00:08.1", 0x0c, 0x0c, PortType::root_port, {}, 0x1022, 0x14dd);
  behind.gpu("0c:00.0", 0x1002, 0xffff);
  CHECK(gpu_at(behind.judge(), "0c:00.0").integrated);
  CHECK(gpu_at(behind.judge(), "0c:00.0").atomics.state == Tri::unknown);

  Host beside;
  beside.gpu("12:00.0", 0x1002, 0xffff);
  beside.device("12:00.2", 0x1022, 0x1649, 0x1080);
  CHECK(gpu_at(beside.judge(), "12:00.0").integrated);

  Host by_id;
  by_id.gpu("c5:00.0", 0x1002, 0x1586);
  CHECK(gpu_at(by_id.judge(), "c5:00.0").integrated);

  Host card;
  card.bridge("00:01.1", 1, 1, PortType::root_port, {}, 0x1022, 0x14db);
  card.gpu("01:00.0", 0x1002, 0x67df);
  card.device("01:00.1", 0x1002, 0xaaf0, 0x0403);
  CHECK_FALSE(gpu_at(card.judge(), "01:00.0").integrated);
}

TEST_CASE("a card that a hypervisor puts on the root bus is not integrated") {
  Host guest;
  guest.gpu("00:01.0", 0x1002, 0x67df);
  CHECK(gpu_at(guest.judge(), "00:01.0").integrated);
  guest.recording.host.hypervisor = true;
  CHECK_FALSE(gpu_at(guest.judge(), "00:01.0").integrated);
}

TEST_CASE("virtual functions are known from their physical function") {
  Host host;
  auto& physical = host.gpu("03:00.0", 0x8086, 0x56c0);
  SrIov sriov;
  sriov.enabled = true;
  sriov.num_vfs = std::uint16_t{2};
  sriov.vf_offset = std::uint16_t{1};
  sriov.vf_stride = std::uint16_t{1};
  physical.sriov = sriov;
  host.gpu("03:00.1", 0x8086, 0x56c0).physical_function = Known<Address>{};
  host.gpu("03:00.3", 0x8086, 0x56c0).physical_function = Known<Address>{};
  const auto t = host.judge();
  CHECK_FALSE(gpu_at(t, "03:00.0").virtual_function);
  CHECK(gpu_at(t, "03:00.1").virtual_function);
  CHECK_FALSE(gpu_at(t, "03:00.3").virtual_function);
  CHECK(fact_of(t, "gpu.virtual_function", "03:00.0")->value.is(FactValue(false)));
  CHECK(fact_of(t, "gpu.virtual_function", "03:00.1")->value.is(FactValue(true)));
  CHECK(fact_of(t, "gpu.virtual_function", "03:00.3")->value.is_unknown());
}

TEST_CASE("a virtual function on another device number is still on the card of its physical function") {
  Host host;
  host.bridge("00:01.0", 1, 1, PortType::root_port);
  auto& physical = host.gpu("01:00.0", 0x1002, 0x740f);
  SrIov sriov;
  sriov.enabled = true;
  sriov.num_vfs = std::uint16_t{2};
  sriov.vf_offset = std::uint16_t{16};
  sriov.vf_stride = std::uint16_t{8};
  physical.sriov = sriov;
  host.gpu("01:02.0", 0x1002, 0x7410).physical_function = Known<Address>{};
  host.gpu("01:03.0", 0x1002, 0x7410).physical_function = Known<Address>{};
  const auto t = host.judge();
  CHECK(pair_of(t, "01:00.0", "01:02.0").path == PairPath::same_card);
  CHECK(pair_of(t, "01:02.0", "01:03.0").path == PairPath::same_card);
}

TEST_CASE("drivers: the makers' compute, stubs do not, none leaves it open") {
  Host host;
  host.gpu("01:00.0");
  CHECK(fact_of(host.judge(), "gpu.driver_usable", "01:00.0")->value.is(FactValue(true)));
  host["01:00.0"].driver = std::string("vfio-pci");
  CHECK(fact_of(host.judge(), "gpu.driver_usable", "01:00.0")->value.is(FactValue(false)));
  host["01:00.0"].driver = std::string("gim");
  CHECK(fact_of(host.judge(), "gpu.driver_usable", "01:00.0")->value.is(FactValue(false)));
  host["01:00.0"].driver = std::string("something");
  CHECK(fact_of(host.judge(), "gpu.driver_usable", "01:00.0")->value.is_unknown());
  host["01:00.0"].driver = Known<std::string>::absent();
  const auto t = host.judge();
  const auto* usable = fact_of(t, "gpu.driver_usable", "01:00.0");
  CHECK(usable->value.reason() == Reason::not_derivable);
  CHECK(usable->evidence.find("no driver bound") != std::string::npos);
  CHECK(fact_of(host.judge(), "gpu.driver", "01:00.0")->value.is_absent());
}

TEST_CASE("the slot is that of the card, not of a port further up") {
  Host host;
  host.bridge("00:01.0", 1, 3, PortType::root_port);
  host.bridge("01:00.0", 2, 3, PortType::switch_upstream);
  host.bridge("02:08.0", 3, 3, PortType::switch_downstream);
  host.gpu("03:00.0");
  host["00:01.0"].physical_slot = std::string("7");
  CHECK_FALSE(gpu_at(host.judge(), "03:00.0").slot.is_known());
  host.set("02:08.0", [](PciExpress& e) {
    e.slot_implemented = true;
    e.physical_slot_number = std::uint16_t{5};
  });
  CHECK(gpu_at(host.judge(), "03:00.0").slot.is("5"));
  host["03:00.0"].slot_label = std::string("PCIEX16_2");
  CHECK(gpu_at(host.judge(), "03:00.0").slot.is("PCIEX16_2"));
  host["03:00.0"].slot_label = std::string("Onboard VGA");
  CHECK(gpu_at(host.judge(), "03:00.0").slot.is("5"));
  host["03:00.0"].slot_label = Known<std::string>{};
  host.set("02:08.0", [](PciExpress& e) { e.physical_slot_number = std::uint16_t{0}; });
  CHECK_FALSE(gpu_at(host.judge(), "03:00.0").slot.is_known());
}

TEST_CASE("chipset ports are marked, and a card behind one is not attached to the processor") {
  Host host;
  host.bridge("00:02.1", 5, 8, PortType::root_port, {}, 0x1022, 0x14db);
  host.bridge("05:00.0", 6, 8, PortType::switch_upstream, {}, 0x1022, 0x43f4);
  host.bridge("06:00.0", 7, 7, PortType::switch_downstream, {}, 0x1022, 0x43f5);
  host.gpu("07:00.0");
  auto t = host.judge();
  CHECK(gpu_at(t, "07:00.0").chain[1].chipset);
  CHECK(gpu_at(t, "07:00.0").chain[2].chipset);
  CHECK_FALSE(gpu_at(t, "07:00.0").chain[0].chipset);
  CHECK(fact_of(t, "path.cpu_attached", "07:00.0")->value.is(FactValue(false)));

  Host intel;
  intel.bridge("00:1c.4", 2, 2, PortType::root_port, {}, 0x8086, 0x9d14);
  intel.bridge("00:01.0", 1, 1, PortType::root_port, {}, 0x8086, 0x1901);
  intel.gpu("01:00.0", 0x10de, 0x1d10);
  intel.gpu("02:00.0", 0x10de, 0x1d10);
  t = intel.judge();
  CHECK(fact_of(t, "path.cpu_attached", "01:00.0")->value.is(FactValue(true)));
  CHECK(fact_of(t, "path.cpu_attached", "02:00.0")->value.is(FactValue(false)));
}

TEST_CASE("the memory BAR is the largest one") {
  Host host;
  auto& gpu = host.gpu("01:00.0");
  gpu.bars.push_back({0, std::uint64_t{256} << 20, true, true, true, true});
  gpu.bars.push_back({2, std::uint64_t{2} << 20, true, true, true, true});
  gpu.bars.push_back({4, std::uint64_t{1} << 40, true, false, {}, {}});
  gpu.resizable_bars.push_back({0, std::uint64_t{256} << 20, {std::uint64_t{256} << 20, std::uint64_t{16} << 30}});
  const auto t = host.judge();
  CHECK(gpu_at(t, "01:00.0").bar_bytes.is(std::uint64_t{256} << 20));
  CHECK(fact_of(t, "bar.resizable_max", "01:00.0")->value.is(FactValue(static_cast<double>(std::uint64_t{16} << 30))));
}
