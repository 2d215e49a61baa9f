#include "runtime/nvml/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace gpucoop::runtime::nvml {

namespace {

constexpr const char* kLibrary = "libnvidia-ml.so.1";

template <class Function>
void bind(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(dlsym(library, name));
}

void bind_all(void* l, Library& n) {
  bind(l, "nvmlInit_v2", n.init);
  bind(l, "nvmlShutdown", n.shutdown);
  bind(l, "nvmlErrorString", n.error_string);
  bind(l, "nvmlSystemGetDriverVersion", n.driver_version);
  bind(l, "nvmlSystemGetCudaDriverVersion_v2", n.cuda_version);
  bind(l, "nvmlDeviceGetCount_v2", n.count);
  bind(l, "nvmlDeviceGetHandleByIndex_v2", n.handle);
  bind(l, "nvmlDeviceGetPciInfo_v3", n.pci_info);
  bind(l, "nvmlDeviceGetName", n.name);
  bind(l, "nvmlDeviceGetUUID", n.uuid);
  bind(l, "nvmlDeviceGetComputeRunningProcesses_v3", n.compute_processes);
  bind(l, "nvmlDeviceGetGraphicsRunningProcesses_v3", n.graphics_processes);
  bind(l, "nvmlDeviceGetMPSComputeRunningProcesses_v3", n.mps_processes);
  bind(l, "nvmlDeviceGetCurrPcieLinkGeneration", n.pcie_generation);
  bind(l, "nvmlDeviceGetCurrPcieLinkWidth", n.pcie_width);
  bind(l, "nvmlDeviceGetMaxPcieLinkGeneration", n.most_pcie_generation);
  bind(l, "nvmlDeviceGetMaxPcieLinkWidth", n.most_pcie_width);
  bind(l, "nvmlDeviceGetGpuMaxPcieLinkGeneration", n.gpu_most_pcie_generation);
  bind(l, "nvmlDeviceGetPcieReplayCounter", n.pcie_replays);
  bind(l, "nvmlDeviceGetCurrentClocksEventReasons", n.clock_reasons);
  if (n.clock_reasons == nullptr) bind(l, "nvmlDeviceGetCurrentClocksThrottleReasons", n.clock_reasons);
  bind(l, "nvmlDeviceGetPerformanceState", n.performance_state);
  bind(l, "nvmlDeviceGetEccMode", n.ecc_mode);
  bind(l, "nvmlDeviceGetTotalEccErrors", n.ecc_errors);
  bind(l, "nvmlDeviceGetMigMode", n.mig_mode);
  bind(l, "nvmlDeviceGetComputeMode", n.compute_mode);
  bind(l, "nvmlDeviceGetPersistenceMode", n.persistence);
  bind(l, "nvmlDeviceGetBAR1MemoryInfo", n.bar1);
  bind(l, "nvmlDeviceGetMemoryInfo", n.memory);
  bind(l, "nvmlDeviceGetMemoryInfo_v2", n.memory_now);
  bind(l, "nvmlDeviceGetGpuFabricInfo", n.fabric);
  bind(l, "nvmlDeviceGetNvLinkState", n.link_state);
  bind(l, "nvmlDeviceGetNvLinkVersion", n.link_version);
  bind(l, "nvmlDeviceGetNvLinkRemotePciInfo_v2", n.link_remote);
  bind(l, "nvmlDeviceGetNvLinkRemoteDeviceType", n.link_remote_kind);
  bind(l, "nvmlDeviceGetP2PStatus", n.peer_status);
  bind(l, "nvmlDeviceGetTopologyCommonAncestor", n.common_ancestor);
}

}  // namespace

Outcome<std::shared_ptr<const Library>> Library::load(const std::string& path) {
  void* library = dlopen(path.empty() ? kLibrary : path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return Failure{ProbeState::skipped, why != nullptr ? why : std::string(kLibrary) + ": cannot be loaded"};
  }
  auto loaded = std::make_shared<Library>();
  bind_all(library, *loaded);
  const Library& n = *loaded;
  if (n.init == nullptr || n.shutdown == nullptr || n.error_string == nullptr || n.driver_version == nullptr ||
      n.cuda_version == nullptr || n.count == nullptr || n.handle == nullptr || n.pci_info == nullptr ||
      n.name == nullptr)
    return Failure{ProbeState::refused, fmt::format("{}: not NVIDIA's management library, or one too old",
                                                    path.empty() ? kLibrary : path.c_str())};
  return std::shared_ptr<const Library>(std::move(loaded));
}

std::string Library::words(const char* function, int code) const {
  const char* text = error_string(code);
  return fmt::format("{}: {} ({})", function, text != nullptr ? text : "no text", code);
}

}  // namespace gpucoop::runtime::nvml
