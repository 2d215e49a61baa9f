#include "probe/findings_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpucoop;
using namespace gpucoop::probe;

namespace {

const Address kFirst{0, 6, 0, 0};
const Address kSecond{0, 7, 0, 0};

wire::NvmlState two_gpus() {
  wire::NvmlState state;
  for (const auto& address : {kFirst, kSecond}) {
    wire::NvmlGpu gpu;
    gpu.address = to_string(address);
    gpu.mig = false;
    gpu.compute_mode = std::string("default");
    gpu.uncorrected_errors = std::uint64_t{0};
    gpu.clock_reasons = std::uint64_t{1};  // idle
    gpu.fabric = std::string("completed");
    state.gpus.push_back(gpu);
  }
  for (const auto& [from, to] : {std::pair(kFirst, kSecond), std::pair(kSecond, kFirst)}) {
    wire::NvmlPair pair;
    pair.from = to_string(from);
    pair.to = to_string(to);
    pair.read = pair.write = std::string("ok");
    pair.nvlink = std::string("not-supported");
    state.pairs.push_back(pair);
  }
  return state;
}

std::string text_of(const std::vector<Warning>& all, std::string_view code) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Warning& w) { return w.code == code; });
  return found == all.end() ? std::string() : found->text;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("Nothing is said of a driver that is content") {
  CHECK(driver_findings(two_gpus(), {kFirst, kSecond}).empty());
  CHECK(driver_findings(wire::NvmlState(), {kFirst}).empty());
}

TEST_CASE("Why the driver refuses direct traffic is told, once for a pair, and not where NVLink carries it") {
  auto state = two_gpus();
  for (auto& pair : state.pairs) pair.read = std::string("chipset-not-supported");
  auto found = driver_findings(state, {kFirst, kSecond});
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == "probe.peer-refused");
  CHECK(has(found[0].text, "0000:06:00.0 - 0000:07:00.0, reads: it does not trust the processor's host bridge"));
  CHECK(found[0].where == "0000:06:00.0");
  for (auto& pair : state.pairs) pair.write = std::string("gpu-not-supported");
  CHECK(has(text_of(driver_findings(state, {kFirst, kSecond}), "probe.peer-refused"), "reads and writes: the GPUs do"));
  for (auto& pair : state.pairs) pair.write = std::string("disabled-by-registry");
  CHECK(has(text_of(driver_findings(state, {kFirst, kSecond}), "probe.peer-refused"), "NVreg_RegistryDwords"));
  for (auto& pair : state.pairs) pair.nvlink = std::string("ok");
  CHECK(driver_findings(state, {kFirst, kSecond}).empty());
  CHECK(driver_findings(state, {kFirst}).empty());
}

TEST_CASE("MIG, fabric, compute mode, memory errors and clocks each have a next step") {
  auto state = two_gpus();
  state.gpus[1].mig = true;
  state.gpus[1].fabric = std::string("in-progress");
  state.gpus[1].compute_mode = std::string("prohibited");
  state.gpus[1].uncorrected_errors = std::uint64_t{3};
  state.gpus[1].clock_reasons = std::uint64_t{0x41};
  const auto found = driver_findings(state, {kFirst, kSecond});
  CHECK(found.size() == 5);
  CHECK(has(text_of(found, "probe.mig"), "sudo nvidia-smi -i 0000:07:00.0 -mig 0"));
  CHECK(has(text_of(found, "probe.fabric"), "(in-progress): start the fabric manager"));
  CHECK(has(text_of(found, "probe.compute-mode"), "-c DEFAULT"));
  CHECK(has(text_of(found, "probe.memory-errors"), "3 errors"));
  CHECK(has(text_of(found, "probe.clocks"), "0000:07:00.0 are held down"));
  CHECK(driver_findings(state, {kFirst}).empty());
}

TEST_CASE("What a library's words mean is found in the catalogue of causes") {
  const auto& rules = builtin_rules();
  CHECK(has(meaning_of("nvmlInit_v2: Driver/library version mismatch (18)", rules), "of different versions: reboot"));
  CHECK(has(meaning_of("nvmlInit_v2: Driver Not Loaded (9)", rules), "sudo modprobe nvidia"));
  CHECK(meaning_of("all is well", rules).empty());
}
