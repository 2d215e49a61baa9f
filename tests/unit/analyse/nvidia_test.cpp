#include <doctest/doctest.h>

#include "analyse/build.hpp"

using namespace gpucoop;
using namespace gpucoop::test;

namespace {

/// Two GPUs of NVIDIA's below one switch, their driver and its library.
Host two_gpus() {
  Host host;
  host.bridge("00:01.1", 1, 4, PortType::root_port);
  host.bridge("01:00.0", 2, 4, PortType::switch_upstream);
  host.bridge("02:00.0", 3, 3, PortType::switch_downstream);
  host.bridge("02:01.0", 4, 4, PortType::switch_downstream);
  host.gpu("03:00.0", 0x10de, 0x20b5);
  host.gpu("04:00.0", 0x10de, 0x20b5);
  for (const auto* at : {"03:00.0", "04:00.0"}) host[at].nvidia = NvidiaReading{0U, false};
  host.recording.host.modules.push_back({"nvidia", std::string("580.95.05")});
  host.recording.host.cuda_library = std::string("580.95.05");
  host.recording.host.container = Known<std::string>::absent();
  return host;
}

std::string text_of(const Topology& t, std::string_view code) {
  for (const auto& w : t.warnings) {
    if (w.code == code) return w.text;
  }
  return {};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("NVIDIA: nothing is said where all is in order") {
  const auto t = two_gpus().judge();
  for (const auto& w : t.warnings) CHECK_MESSAGE(w.code.rfind("nvidia.", 0) != 0, w.text);
  CHECK(fact_of(t, "gpu.mig", "03:00.0")->value.is(FactValue(false)));
  CHECK(pair_of(t, "03:00.0", "04:00.0").peer != PeerExpectation::not_expected);
}

TEST_CASE("NVIDIA: a GPU that is split by MIG reaches no other one, and how to undo it is told") {
  auto host = two_gpus();
  host["04:00.0"].nvidia = NvidiaReading{1U, true};
  const auto t = host.judge();
  CHECK(fact_of(t, "gpu.mig", "04:00.0")->value.is(FactValue(true)));
  CHECK(pair_of(t, "03:00.0", "04:00.0").peer == PeerExpectation::not_expected);
  CHECK(has(text_of(t, "nvidia.mig"), "sudo nvidia-smi -i 0000:04:00.0 -mig 0"));
}

TEST_CASE("NVIDIA: a GPU that the driver does not show is hidden by the container") {
  auto host = two_gpus();
  host["04:00.0"].nvidia = Known<NvidiaReading>::absent();
  CHECK(has(text_of(host.judge(), "nvidia.hidden"), "look in dmesg"));
  host.recording.host.container = std::string("docker");
  const auto text = text_of(host.judge(), "nvidia.hidden");
  CHECK(has(text, "04:00.0 is not among them"));
  CHECK(has(text, "--gpus all"));
}

TEST_CASE("NVIDIA: module and library of different versions, and no library") {
  auto host = two_gpus();
  host.recording.host.cuda_library = std::string("570.86.15");
  auto text = text_of(host.judge(), "nvidia.version-mismatch");
  CHECK(has(text, "580.95.05"));
  CHECK(has(text, "570.86.15"));
  CHECK(has(text, "reboot"));
  host.recording.host.container = std::string("docker");
  CHECK(has(text_of(host.judge(), "nvidia.version-mismatch"), "a library of its own"));
  host.recording.host.cuda_library = Known<std::string>::absent();
  CHECK(has(text_of(host.judge(), "nvidia.no-library"), "--gpus all"));
  CHECK_FALSE(warns(host.judge(), "nvidia.version-mismatch"));
  host.recording.host.cuda_library = Known<std::string>();
  CHECK_FALSE(warns(host.judge(), "nvidia.no-library"));
}

TEST_CASE("NVIDIA: a fabric manager that does not run, and an IMEX channel that is not there") {
  auto host = two_gpus();
  host.recording.host.fabric_manager = true;
  CHECK_FALSE(warns(host.judge(), "nvidia.fabric-manager"));
  host.recording.host.fabric_manager = false;
  CHECK(has(text_of(host.judge(), "nvidia.fabric-manager"), "systemctl enable --now nvidia-fabricmanager"));
  DeviceNode node;
  node.path = "/dev/nvidia-caps-imex-channels/channel0";
  node.mode = 0666U;
  node.device = Known<Address>::absent();
  host.recording.host.nodes.push_back(node);
  CHECK_FALSE(warns(host.judge(), "nvidia.imex-channel"));
  host.recording.host.nodes.back().mode = Known<unsigned>::absent();
  host.recording.host.nodes.back().may_open = false;
  CHECK(has(text_of(host.judge(), "nvidia.imex-channel"), "NVreg_CreateImexChannel0=1"));
  CHECK_FALSE(warns(host.judge(), "host.node-access"));
}

TEST_CASE("NVIDIA: a driver without a GPU, and a GPU that another driver has") {
  auto host = two_gpus();
  for (const auto* at : {"03:00.0", "04:00.0"}) host[at].driver = std::string("nouveau");
  CHECK(has(text_of(host.judge(), "nvidia.other-driver"), "03:00.0 and 04:00.0 are taken by nouveau"));
  host.drop("03:00.0");
  host.drop("04:00.0");
  CHECK(has(text_of(host.judge(), "nvidia.no-gpu"), "no NVIDIA GPU is on the bus"));
  host.recording.listing_complete = Known<bool>();
  CHECK_FALSE(warns(host.judge(), "nvidia.no-gpu"));
}

TEST_CASE("NVIDIA: a node belongs to its GPU; one that its mode opens to all and that may not be opened is forbidden") {
  auto host = two_gpus();
  auto& nodes = host.recording.host.nodes;
  const auto node = [&](const char* path, const char* of, bool may) {
    DeviceNode n;
    n.path = path;
    n.mode = 0666U;
    n.may_open = may;
    n.device = of == nullptr ? Known<Address>::absent() : Known<Address>(at(of));
    n.group = std::string("root");
    nodes.push_back(n);
  };
  node("/dev/nvidiactl", nullptr, true);
  node("/dev/nvidia0", "03:00.0", true);
  node("/dev/nvidia1", "04:00.0", false);
  auto t = host.judge();
  CHECK(fact_of(t, "gpu.node_access", "03:00.0")->value.is(FactValue(true)));
  CHECK(fact_of(t, "gpu.node_access", "04:00.0")->value.is(FactValue(false)));
  CHECK(has(text_of(t, "host.node-access"), "You may not open /dev/nvidia1"));
  CHECK(has(text_of(t, "host.node-access"), "DeviceAllow="));
  nodes.back().mode = Known<unsigned>::absent();
  host.recording.host.container = std::string("podman");
  CHECK(has(text_of(host.judge(), "host.node-access"), "docker run --gpus all, or --device /dev/nvidia1"));
}
