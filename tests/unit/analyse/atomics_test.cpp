#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

Host direct_host() {
  Host host;
  host.bridge("00:01.1", 1, 1, PortType::root_port);
  host.gpu("01:00.0");
  return host;
}

Host switched_host() {
  Host host;
  host.bridge("00:01.0", 1, 3, PortType::root_port);
  host.bridge("01:00.0", 2, 3, PortType::switch_upstream);
  host.bridge("02:08.0", 3, 3, PortType::switch_downstream);
  host.gpu("03:00.0");
  return host;
}

}  // namespace

TEST_CASE("a root port that completes 32 and 64 bit is enough; its Routing bit does not matter") {
  auto host = direct_host();
  host.set("00:01.1", [](PciExpress& e) { e.atomic_routing = false; });
  const auto& gpu = gpu_at(host.judge(), "01:00.0");
  CHECK(gpu.atomics.path == Tri::yes);
  CHECK(gpu.atomics.state == Tri::yes);
  CHECK(gpu.atomics.blocking.empty());
  CHECK(gpu.atomics.requester_enabled.is(true));
}

TEST_CASE("Routing on a root port is worth nothing without both completers") {
  for (const bool only32 : {true, false}) {
    auto host = direct_host();
    host.set("00:01.1", [&](PciExpress& e) {
      e.atomic_routing = true;
      e.atomic_completer32 = only32;
      e.atomic_completer64 = false;
    });
    const auto t = host.judge();
    CHECK(gpu_at(t, "01:00.0").atomics.path == Tri::no);
    CHECK(blocking_of(t, "01:00.0") == Names{"00:01.1"});
    CHECK(gpu_at(t, "01:00.0").chain[0].blocks_atomics);
    CHECK_FALSE(gpu_at(t, "01:00.0").chain[1].blocks_atomics);
  }
}

TEST_CASE("every hop that blocks is named") {
  auto host = switched_host();
  host.set("00:01.0", [](PciExpress& e) { e.atomic_completer64 = false; });
  host.set("01:00.0", [](PciExpress& e) { e.atomic_routing = false; });
  host.set("02:08.0", [](PciExpress& e) { e.atomic_routing = false; });
  const auto t = host.judge();
  CHECK(blocking_of(t, "03:00.0") == Names{"00:01.0", "01:00.0", "02:08.0"});
  const auto& why = gpu_at(t, "03:00.0").atomics.why;
  CHECK(why.find("02:08.0") != std::string::npos);
  CHECK(why.find("Device Capabilities 2, bit 6") != std::string::npos);
  CHECK(fact_of(t, "atomics.path", "03:00.0")->evidence.find("02:08.0 DevCap2 bit 6 = 0 (host.txt:3)") !=
        std::string::npos);
}

TEST_CASE("completer bits of a switch port do not matter") {
  auto host = switched_host();
  host.set("01:00.0", [](PciExpress& e) {
    e.atomic_completer32 = false;
    e.atomic_completer64 = false;
  });
  CHECK(gpu_at(host.judge(), "03:00.0").atomics.path == Tri::yes);
}

TEST_CASE("egress blocking counts on upstream ports only") {
  auto down = switched_host();
  down.set("02:08.0", [](PciExpress& e) { e.atomic_egress_block = true; });
  down.set("00:01.0", [](PciExpress& e) { e.atomic_egress_block = true; });
  CHECK(gpu_at(down.judge(), "03:00.0").atomics.path == Tri::yes);
  auto up = switched_host();
  up.set("01:00.0", [](PciExpress& e) { e.atomic_egress_block = true; });
  const auto t = up.judge();
  CHECK(gpu_at(t, "03:00.0").atomics.path == Tri::no);
  CHECK(blocking_of(t, "03:00.0") == Names{"01:00.0"});
}

TEST_CASE("registers that an old capability does not have count as clear") {
  auto host = direct_host();
  host.set("00:01.1", [](PciExpress& e) {
    e.version = std::uint8_t{1};
    e.atomic_completer32 = Known<bool>::absent();
    e.atomic_completer64 = Known<bool>::absent();
  });
  CHECK(gpu_at(host.judge(), "01:00.0").atomics.path == Tri::no);
}

TEST_CASE("registers that are not in the input leave the path open, unless another hop surely blocks") {
  auto host = switched_host();
  host.set("01:00.0", [](PciExpress& e) { e.atomic_routing = Known<bool>::unknown(Reason::not_printed); });
  CHECK(gpu_at(host.judge(), "03:00.0").atomics.path == Tri::unknown);
  host.set("02:08.0", [](PciExpress& e) { e.atomic_routing = false; });
  const auto t = host.judge();
  CHECK(gpu_at(t, "03:00.0").atomics.path == Tri::no);
  CHECK(blocking_of(t, "03:00.0") == Names{"02:08.0"});
}

TEST_CASE("an excerpt without a root port is unknown even with the requester on, and no where a switch blocks") {
  auto host = switched_host();
  host.drop("00:01.0");
  CHECK(gpu_at(host.judge(), "03:00.0").atomics.path == Tri::unknown);
  CHECK(gpu_at(host.judge(), "03:00.0").atomics.state == Tri::unknown);
  host.set("02:08.0", [](PciExpress& e) { e.atomic_routing = false; });
  CHECK(gpu_at(host.judge(), "03:00.0").atomics.path == Tri::no);
}

TEST_CASE("bridges that are missing between leave the path open") {
  auto host = switched_host();
  host.drop("02:08.0");
  CHECK(gpu_at(host.judge(), "03:00.0").atomics.path == Tri::unknown);
}

TEST_CASE("the walk ends at the first root port upwards") {
  Host host;
  host.bridge("00:1e.0", 0x0f, 0x11, PortType::switch_upstream);
  host.set("00:1e.0", [](PciExpress& e) { e.atomic_routing = false; });
  host.bridge("0f:01.0", 0x11, 0x11, PortType::root_port);
  host.gpu("11:00.0");
  const auto t = host.judge();
  CHECK(chain_of(t, "11:00.0") == Names{"00:1e.0", "0f:01.0", "11:00.0"});
  CHECK(gpu_at(t, "11:00.0").atomics.path == Tri::yes);
}

TEST_CASE("a PCIe-to-PCI bridge between is skipped, as the kernel does") {
  auto host = direct_host();
  host["01:00.0"].class_code = std::uint16_t{0x0604};
  host.set("01:00.0", [](PciExpress& e) { e.type = PortType::pcie_to_pci_bridge; });
  host["01:00.0"].buses = BusNumbers{1, 2, 2};
  host.gpu("02:00.0");
  CHECK(gpu_at(host.judge(), "02:00.0").atomics.path == Tri::yes);
}

TEST_CASE("what the hypervisor hides is unknown, even with the requester on; what it shows as blocked is no") {
  auto guest = direct_host();
  guest.recording.host.hypervisor = true;
  CHECK(gpu_at(guest.judge(), "01:00.0").atomics.state == Tri::unknown);
  guest.set("00:01.1", [](PciExpress& e) { e.atomic_completer32 = false; });
  CHECK(gpu_at(guest.judge(), "01:00.0").atomics.state == Tri::no);

  Host flat;
  flat.gpu("00:05.0");
  flat.recording.host.hypervisor = true;
  const auto& gpu = gpu_at(flat.judge(), "00:05.0");
  CHECK(gpu.atomics.state == Tri::unknown);
  CHECK_FALSE(gpu.integrated);
  CHECK(fact_of(flat.judge(), "atomics.path", "00:05.0")->value.reason() == Reason::vm);
}

TEST_CASE("virtual functions, integrated and lost GPUs have no path to judge") {
  auto host = direct_host();
  host["01:00.0"].physical_function = at("01:00.1");
  CHECK(gpu_at(host.judge(), "01:00.0").atomics.path == Tri::unknown);
  CHECK(gpu_at(host.judge(), "01:00.0").virtual_function);

  Host apu;
  apu.gpu("00:01.0");
  apu.set("00:01.0", [](PciExpress& e) {
    e.type = PortType::integrated_endpoint;
    e.atomic_requester_enable = false;
  });
  CHECK(gpu_at(apu.judge(), "00:01.0").integrated);
  CHECK(gpu_at(apu.judge(), "00:01.0").atomics.state == Tri::unknown);

  auto lost = direct_host();
  lost["01:00.0"].lost = true;
  CHECK(gpu_at(lost.judge(), "01:00.0").atomics.state == Tri::unknown);
  CHECK(fact_of(lost.judge(), "gpu.present", "01:00.0")->value.is(FactValue(false)));
}

TEST_CASE("amdgpu takes atomics for granted on GPUs inside newer processors, which it knows by their ids") {
  const auto with = [](std::uint16_t id, const char* driver) {
    Host host;
    host.gpu("00:01.0", 0x1002, id).driver = std::string(driver);
    host.set("00:01.0", [](PciExpress& e) {
      e.type = PortType::integrated_endpoint;
      e.atomic_requester_enable = false;
    });
    return gpu_at(host.judge(), "00:01.0").atomics;
  };
  constexpr std::uint16_t kMi300a = 0x74a0;
  constexpr std::uint16_t kCarrizo = 0x9874;
  constexpr std::uint16_t kMi300x = 0x74a1;
  CHECK(with(kMi300a, "amdgpu").driver == Tri::yes);
  CHECK(with(kMi300a, "amdgpu").state == Tri::yes);
  CHECK(with(kMi300a, "vfio-pci").state == Tri::unknown);
  CHECK(with(kCarrizo, "amdgpu").state == Tri::unknown);
  CHECK(with(kMi300x, "amdgpu").state == Tri::unknown);
}

TEST_CASE("a conventional PCI display has no atomic operations") {
  auto host = direct_host();
  host["01:00.0"].express = Known<PciExpress>::absent();
  const auto& gpu = gpu_at(host.judge(), "01:00.0");
  CHECK(gpu.atomics.path == Tri::no);
  CHECK(gpu.atomics.blocking.empty());
}

TEST_CASE("path and requester that do not fit are findings for AMD and nothing for others") {
  auto host = direct_host();
  CHECK_FALSE(warns(host.judge(), "atomics.requester-off"));
  host.set("01:00.0", [](PciExpress& e) { e.atomic_requester_enable = false; });
  host["01:00.0"].driver = Known<std::string>::absent();
  CHECK(warns(host.judge(), "atomics.requester-off"));
  CHECK(gpu_at(host.judge(), "01:00.0").atomics.state == Tri::yes);
  host["01:00.0"].vendor_id = std::uint16_t{0x10de};
  CHECK_FALSE(warns(host.judge(), "atomics.requester-off"));

  auto blocked = direct_host();
  blocked.set("00:01.1", [](PciExpress& e) { e.atomic_completer64 = false; });
  CHECK(warns(blocked.judge(), "atomics.requester-on-blocked-path"));
  blocked.set("01:00.0", [](PciExpress& e) { e.atomic_requester_enable = false; });
  CHECK_FALSE(warns(blocked.judge(), "atomics.requester-on-blocked-path"));
  CHECK_FALSE(warns(blocked.judge(), "atomics.requester-off"));
}

TEST_CASE("the kernel's word decides over the registers, joined by address or by ids") {
  Rules rules;
  LogCause cause;
  cause.id = "amdgpu-atomics-refused";
  cause.sets_fact = "atomics.driver";
  cause.sets_value = false;
  rules.log_causes.push_back(cause);

  auto host = direct_host();
  LogLine line{cause.id, "skipped device 1002:67df, PCI rejects atomics 730<0", {}, {0, 9}};
  host.recording.log.push_back(line);
  auto t = analyse(host.recording, rules);
  CHECK(gpu_at(t, "01:00.0").atomics.driver == Tri::no);
  CHECK(gpu_at(t, "01:00.0").atomics.state == Tri::no);
  CHECK(gpu_at(t, "01:00.0").atomics.path == Tri::yes);
  CHECK(warns(t, "atomics.driver-disagrees"));
  CHECK(fact_of(t, "atomics.driver", "01:00.0")->tier == Tier::queried);

  // Two cards of one model: the line could be about either.
  host.bridge("00:01.2", 2, 2, PortType::root_port);
  host.gpu("02:00.0");
  t = analyse(host.recording, rules);
  CHECK(gpu_at(t, "01:00.0").atomics.driver == Tri::unknown);
  host.recording.log[0].device = at("02:00.0");
  t = analyse(host.recording, rules);
  CHECK(gpu_at(t, "01:00.0").atomics.driver == Tri::unknown);
  CHECK(gpu_at(t, "02:00.0").atomics.driver == Tri::no);
}

TEST_CASE("a guest kernel that refuses a hidden root port is named as the cause") {
  Host flat;
  flat.gpu("00:05.0");
  flat.set("00:05.0", [](PciExpress& e) { e.atomic_requester_enable = false; });
  flat.recording.host.hypervisor = true;
  flat.recording.host.kernel = std::string("6.12.95-amd64");
  CHECK(warns(flat.judge(), "atomics.kernel-refuses-hidden-root-port"));
  flat.recording.host.kernel = std::string("6.12.113-amd64");
  CHECK_FALSE(warns(flat.judge(), "atomics.kernel-refuses-hidden-root-port"));
}
