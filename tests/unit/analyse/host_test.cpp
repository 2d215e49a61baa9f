#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

const Fact* host_fact(const Topology& t, std::string_view id) {
  return find_fact(t.facts, id, {SubjectKind::host, {}});
}

}  // namespace

TEST_CASE("a hypervisor's devices show a virtual machine; nothing shows a real one but a source's word") {
  Host host;
  host.gpu("01:00.0");
  CHECK(host.judge().host.virtualized == Tri::unknown);
  host.recording.host.hypervisor = false;
  CHECK(host.judge().host.virtualized == Tri::no);
  host.device("00:15.0", 0x15ad, 0x07a0, 0x0604);
  const auto t = host.judge();
  CHECK(t.host.virtualized == Tri::yes);
  CHECK(host_fact(t, "host.virtualized")->evidence.find("00:15.0") != std::string::npos);
}

TEST_CASE("WSL is known by its kernel's name") {
  Host host;
  host.recording.host.kernel = std::string("5.15.153.1-microsoft-standard-WSL2");
  const auto t = host.judge();
  CHECK(t.host.virtualized == Tri::yes);
  CHECK(find_fact(t.facts, "host.virtualized", {SubjectKind::host, {}})
            ->evidence.find("WSL, Windows Subsystem for Linux") != std::string::npos);
  const auto words = [](const Topology& of) {
    for (const auto& w : of.warnings) {
      if (w.code == "host.wsl") return w.text;
    }
    return std::string();
  };
  CHECK(words(t).find("start Linux itself on the machine") != std::string::npos);
  DeviceNode node;
  node.path = "/dev/dxg";
  node.mode = Known<unsigned>::absent();
  host.recording.host.nodes.push_back(node);
  CHECK(words(host.judge()).find("wsl --update in Windows") != std::string::npos);
  host.recording.host.kernel = std::string("6.12.63+deb13-amd64");
  CHECK(words(host.judge()).empty());
}

TEST_CASE("virtio counts on the root bus only; an emulated chipset by its subsystem") {
  Host host;
  host.device("03:00.0", 0x1af4, 0x1041, 0x0200);
  CHECK(host.judge().host.virtualized == Tri::unknown);
  host.device("00:03.0", 0x1af4, 0x1041, 0x0200);
  CHECK(host.judge().host.virtualized == Tri::yes);
  Host q35;
  q35.device("00:00.0", 0x8086, 0x29c0, 0x0600).subsystem_vendor_id = std::uint16_t{0x1af4};
  CHECK(q35.judge().host.virtualized == Tri::yes);
  Host list;
  auto& bridge = list.device("00:15.0", 0, 0, 0x0604);
  bridge.vendor_id = Known<std::uint16_t>{};
  bridge.name = std::string("VMware PCI Express Root Port");
  CHECK(list.judge().host.virtualized == Tri::yes);
}

TEST_CASE("the fingerprint is that of bridges and GPUs, and stable") {
  Host host;
  host.bridge("00:01.1", 1, 1, PortType::root_port);
  host.gpu("01:00.0");
  const auto first = host.judge().host.fingerprint;
  CHECK(first.size() == 16);
  host.device("02:00.0", 0x8086, 0x15f3, 0x0200);
  host.set("01:00.0", [](PciExpress& e) { e.speed = LinkSpeed::gen1; });
  CHECK(host.judge().host.fingerprint == first);
  host["01:00.0"].device_id = std::uint16_t{0x7551};
  CHECK(host.judge().host.fingerprint != first);
  CHECK(Host().judge().host.fingerprint.empty());
}

TEST_CASE("IOMMU mode, kernel and main source are reported") {
  Host host;
  host.recording.sources.push_back({"tree.txt", SourceKind::lspci_tree});
  CHECK(host.judge().host.source == SourceKind::lspci_text);
  CHECK_FALSE(host.judge().host.iommu.is_known());
  host.recording.host.iommu_translating = true;
  CHECK(host.judge().host.iommu.is("translating"));
  host.recording.host.iommu_translating = false;
  CHECK(host.judge().host.iommu.is("passthrough"));
  host.recording.host.command_line = std::string("ro amd_iommu=off quiet");
  CHECK(host.judge().host.iommu.is("off"));
}

TEST_CASE("warnings and disagreements of the reading are carried over") {
  Host host;
  host.gpu("01:00.0");
  host.recording.warnings.push_back({"input.truncated", "cut", "host.txt:9"});
  host.recording.disagreements.push_back({at("01:00.0"), "LnkSta width", "x16", "x8", {0, 3}, {0, 7}});
  const auto t = host.judge();
  CHECK(warns(t, "input.truncated"));
  REQUIRE(warns(t, "input.disagreement"));
  for (const auto& w : t.warnings) {
    if (w.code == "input.disagreement") CHECK(w.text.find("x8 in host.txt:7") != std::string::npos);
  }
}

TEST_CASE("every fact is emitted, an unknown one with its reason") {
  Host host;
  host.gpu("01:00.0");
  host.hide_capabilities();
  const auto t = host.judge();
  for (const char* id : {"gpu.vendor",
                         "gpu.name",
                         "gpu.compute",
                         "gpu.integrated",
                         "gpu.present",
                         "gpu.virtual_function",
                         "gpu.driver",
                         "gpu.driver_usable",
                         "atomics.path",
                         "atomics.driver",
                         "atomics.requester_enabled",
                         "atomics.state",
                         "link.rate",
                         "link.ceiling",
                         "link.card",
                         "link.state",
                         "path.complete",
                         "path.cpu_attached",
                         "bar.size",
                         "bar.resizable_max"}) {
    CAPTURE(id);
    REQUIRE(fact_of(t, id, "01:00.0") != nullptr);
    CHECK_FALSE(fact_of(t, id, "01:00.0")->evidence.empty());
  }
  CHECK(fact_of(t, "atomics.path", "01:00.0")->value.reason() == Reason::no_root);
  for (const char* id : {"host.lists_devices", "host.listing_complete", "host.virtualized", "iommu.translating"}) {
    CAPTURE(id);
    CHECK(host_fact(t, id) != nullptr);
  }
}

TEST_CASE("an empty recording is judged without a word about GPUs") {
  const auto t = analyse(Recording{}, builtin_rules());
  CHECK(t.gpus.empty());
  CHECK(t.pairs.empty());
  CHECK_FALSE(t.lists_devices);
}

TEST_CASE("facts that a kernel line states fill what is unknown and never hide a contradiction") {
  Rules rules;
  rules.log_causes.push_back({"fell-off", {}, "", "", "", "gpu.present", false, ""});
  Host host;
  host.gpu("01:00.0");
  host.recording.log.push_back({"fell-off", "GPU has fallen off the bus", at("01:00.0"), {0, 4}});
  const auto t = analyse(host.recording, rules);
  CHECK(gpu_at(t, "01:00.0").lost);
  CHECK(fact_of(t, "gpu.present", "01:00.0")->value.is(FactValue(false)));
  CHECK(fact_of(t, "gpu.present", "01:00.0")->evidence.find("host.txt:4") != std::string::npos);
}
