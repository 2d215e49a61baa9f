#include "runtime/nvml/nvml.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace gpucoop;

namespace {

wire::NvmlState look(const char* words) {
  setenv("GPUCOOP_FAKE_NVML", words, 1);
  auto state = runtime::nvml::look(GPUCOOP_FAKES "/libnvidia-ml.so.1");
  unsetenv("GPUCOOP_FAKE_NVML");
  return state;
}

}  // namespace

TEST_CASE("NVML: a missing library is told as missing, one that cannot begin in its words") {
  const auto none = runtime::nvml::look("/nonexistent/libnvidia-ml.so.1");
  CHECK(none.missing);
  CHECK(none.trouble.find("/nonexistent/libnvidia-ml.so.1: cannot open shared object file") == 0);
  CHECK(look("init-18").trouble == "nvmlInit_v2: Driver/library version mismatch (18)");
  CHECK_FALSE(look("init-18").missing);
  CHECK(look("init-9").trouble == "nvmlInit_v2: Driver Not Loaded (9)");
  const auto other = runtime::nvml::look(GPUCOOP_FAKES "/libcuda.so.1");
  CHECK(other.trouble.find("not NVIDIA's management library") != std::string::npos);
}

TEST_CASE("NVML: everything that is told comes through") {
  const auto state = look("");
  CHECK(state.trouble.empty());
  CHECK(state.driver == "580.159.04");
  CHECK(state.cuda == "13.0");
  REQUIRE(state.gpus.size() == 2);
  const auto& gpu = state.gpus[1];
  CHECK(gpu.address == "0000:a1:00.0");
  CHECK(gpu.name == "Fake GPU 1");
  CHECK(gpu.uuid == "GPU-fake-1");
  REQUIRE(gpu.processes.is_known());
  CHECK(gpu.processes.value().empty());
  CHECK(gpu.pcie_generation.is(1));
  CHECK(gpu.most_pcie_generation.is(5));
  CHECK(gpu.pcie_width.is(16));
  CHECK(gpu.clock_reasons.is(0x41));
  CHECK(gpu.performance_state.is(0));
  CHECK(gpu.ecc.is(true));
  CHECK(gpu.uncorrected_errors.is(3));
  CHECK(gpu.mig.is_absent());
  CHECK(gpu.compute_mode.is("exclusive-process"));
  CHECK(gpu.persistence.is(true));
  CHECK(gpu.bar1_bytes.is(256ULL << 20U));
  CHECK(gpu.memory_bytes.is(8ULL << 30U));
  CHECK(gpu.used_bytes.is(0));
  CHECK(gpu.fabric.is_absent());
  REQUIRE(gpu.links.size() == 18);
  CHECK(gpu.links[0].active);
  CHECK(gpu.links[0].version.is(4));
  CHECK(gpu.links[0].remote.is("0000:c0:00.0"));
  CHECK(gpu.links[0].remote_kind.is("switch"));
  CHECK_FALSE(gpu.links[17].active);
  REQUIRE(state.pairs.size() == 2);
  CHECK(state.pairs[0].from == "0000:a0:00.0");
  CHECK(state.pairs[0].to == "0000:a1:00.0");
  CHECK(state.pairs[0].read.is("ok"));
  CHECK(state.pairs[0].pcie.is("not-supported"));
  CHECK(state.pairs[0].meet.is("numa-node"));
  CHECK(state.pairs[0].nvlinks.is(17));
  CHECK(state.unasked.empty());
}

TEST_CASE("NVML: holders are told, and not being allowed to see them is no proof of none") {
  const auto busy = look("busy");
  REQUIRE(busy.gpus.size() == 2);
  CHECK(busy.gpus[0].processes.value().empty());
  const auto& processes = busy.gpus[1].processes.value();
  REQUIRE(processes.size() == 2);
  CHECK(processes[0].pid == 4242);
  CHECK_FALSE(processes[0].graphics);
  CHECK(processes[0].memory_bytes.is(1ULL << 30U));
  CHECK(processes[1].pid == 77);
  CHECK(processes[1].graphics);
  CHECK(processes[1].memory_bytes.is_absent());
  const auto hidden = look("no-holders");
  REQUIRE(hidden.gpus[0].processes.is_unknown());
  CHECK(hidden.gpus[0].processes.reason() == Reason::no_root);
  REQUIRE(hidden.unasked.size() == 1);
  CHECK(hidden.unasked[0] == "nvmlDeviceGetComputeRunningProcesses_v3: Insufficient Permissions (4)");
}

TEST_CASE("NVML: why a peer cannot be reached is told, and no NVLink is none") {
  const auto state = look("p2p-cns,no-nvlink");
  CHECK(state.pairs[0].read.is("chipset-not-supported"));
  CHECK(state.pairs[0].write.is("ok"));
  CHECK(state.pairs[0].nvlinks.is(0));
  CHECK(state.gpus[0].links.empty());
}

TEST_CASE("NVML: an answer goes over the wire whole, and damaged ones are refused") {
  const auto state = look("busy");
  const std::string bytes = wire::encode(state);
  auto back = wire::decode_nvml(bytes);
  REQUIRE(back.ok());
  CHECK(wire::encode(back.value()) == bytes);
  CHECK(back.value().gpus[1].processes.value()[0].pid == 4242);
  CHECK_FALSE(wire::decode_nvml(bytes + "x").ok());
  CHECK_FALSE(wire::decode_nvml(bytes.substr(0, bytes.size() - 1)).ok());
  CHECK_FALSE(wire::decode_nvml("").ok());
}

TEST_CASE("NVML: what holds clocks down has words, and idleness is none of it") {
  CHECK(wire::clock_reason_words(0x1).empty());
  CHECK(wire::clock_reason_words(0x41) == std::vector<std::string>{"thermal (hardware)"});
  CHECK(wire::clock_reason_words(0x84) == std::vector<std::string>{"power cap", "power brake (hardware)"});
}

TEST_CASE("NVML: a list of processes is one only where all kinds of them can be listed") {
  const auto state = look("no-list,used");
  REQUIRE(state.gpus.size() == 2);
  CHECK(state.gpus[0].processes.is_absent());
  CHECK(state.gpus[1].used_bytes.is(700ULL << 20U));
}
