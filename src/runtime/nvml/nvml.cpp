#include "runtime/nvml/nvml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/address.hpp"
#include "runtime/nvml/library.hpp"
#include "runtime/nvml/links.hpp"

namespace gpucoop::runtime::nvml {

namespace {

constexpr unsigned kMostGpus = 64;
constexpr unsigned kMostLinks = 36;
constexpr unsigned kMostProcesses = 512;

template <class Function>
struct LastArgument;
template <class... A>
struct LastArgument<int (*)(A...)> {
  using Type = std::remove_pointer_t<std::tuple_element_t<sizeof...(A) - 1, std::tuple<A...>>>;
};
template <class Function>
using LastOf = typename LastArgument<Function>::Type;

std::string address_of(const PciInfo& info) {
  const std::string text(info.address, std::find(info.address, info.address + sizeof info.address, '\0'));
  const auto address = parse_address(text);
  return address ? to_string(*address) : text;
}

/// One look: asks, and notes what gave no answer.
class Look {
 public:
  Look(const Library& library, wire::NvmlState& state) : n_(library), state_(state) {}

  void all();

 private:
  /// What a code other than success means for a value.
  template <class T>
  Known<T> without(const char* function, int code) {
    if (code == kNotSupported) return Known<T>::absent();
    const std::string words = n_.words(function, code);
    if (std::find(state_.unasked.begin(), state_.unasked.end(), words) == state_.unasked.end())
      state_.unasked.push_back(words);
    switch (code) {
      case kNoPermission: return Known<T>::unknown(Reason::no_root);
      case kTimeout: return Known<T>::unknown(Reason::timeout);
      case kGpuLost: return Known<T>::unknown(Reason::device_lost);
      default: return Known<T>::unknown(Reason::not_derivable);
    }
  }
  /// A value that a function gives through its last argument.
  template <class T, class Function, class... Arguments>
  Known<T> ask(const char* name, Function function, Arguments... arguments) {
    if (function == nullptr) return without<T>(name, kFunctionNotFound);
    LastOf<Function> raw{};
    const int code = function(arguments..., &raw);
    if (code != kSuccess) return without<T>(name, code);
    return static_cast<T>(raw);
  }

  bool processes(Handle device, const char* name, int (*function)(Handle, unsigned*, ProcessInfo*), bool graphics,
                 std::vector<wire::NvmlProcess>& all, Known<std::vector<wire::NvmlProcess>>& why_not);
  Known<std::vector<wire::NvmlProcess>> all_processes(Handle device);
  void pcie(Handle device, wire::NvmlGpu& gpu);
  void health(Handle device, wire::NvmlGpu& gpu);
  void links(Handle device, wire::NvmlGpu& gpu);
  wire::NvmlGpu gpu(Handle device, std::string address);
  wire::NvmlPair pair(std::size_t from, std::size_t to);
  Known<std::string> peer(std::size_t from, std::size_t to, int index);

  const Library& n_;
  wire::NvmlState& state_;
  std::vector<Handle> handles_;
};

bool Look::processes(Handle device, const char* name, int (*function)(Handle, unsigned*, ProcessInfo*), bool graphics,
                     std::vector<wire::NvmlProcess>& all, Known<std::vector<wire::NvmlProcess>>& why_not) {
  if (function == nullptr) {
    why_not = without<std::vector<wire::NvmlProcess>>(name, kFunctionNotFound);
    return false;
  }
  std::vector<ProcessInfo> infos(32);
  int code = kInsufficientSize;
  unsigned count = 0;
  // More may have come between asking how many and asking again.
  for (int attempt = 0; attempt < 4 && code == kInsufficientSize; ++attempt) {
    count = static_cast<unsigned>(infos.size());
    code = function(device, &count, infos.data());
    if (code == kInsufficientSize) infos.resize(std::min(std::max(count, 32U) * 2, kMostProcesses));
  }
  if (code != kSuccess) {
    why_not = without<std::vector<wire::NvmlProcess>>(name, code);
    return false;
  }
  for (unsigned i = 0; i < std::min<std::size_t>(count, infos.size()); ++i) {
    wire::NvmlProcess process{infos[i].pid, graphics, Known<std::uint64_t>::absent()};
    if (infos[i].memory_bytes != ~0ULL) process.memory_bytes = infos[i].memory_bytes;
    all.push_back(process);
  }
  return true;
}

Known<std::vector<wire::NvmlProcess>> Look::all_processes(Handle device) {
  std::vector<wire::NvmlProcess> all;
  Known<std::vector<wire::NvmlProcess>> why_not;
  if (!processes(device, "nvmlDeviceGetComputeRunningProcesses_v3", n_.compute_processes, false, all, why_not) ||
      !processes(device, "nvmlDeviceGetGraphicsRunningProcesses_v3", n_.graphics_processes, true, all, why_not) ||
      // A GPU or driver without MPS has none of its processes.
      (!processes(device, "nvmlDeviceGetMPSComputeRunningProcesses_v3", n_.mps_processes, false, all, why_not) &&
       !why_not.is_absent()))
    return why_not;
  return all;
}

void Look::pcie(Handle device, wire::NvmlGpu& gpu) {
  using Number = std::uint32_t;
  gpu.pcie_generation = ask<Number>("nvmlDeviceGetCurrPcieLinkGeneration", n_.pcie_generation, device);
  gpu.pcie_width = ask<Number>("nvmlDeviceGetCurrPcieLinkWidth", n_.pcie_width, device);
  gpu.most_pcie_generation = ask<Number>("nvmlDeviceGetMaxPcieLinkGeneration", n_.most_pcie_generation, device);
  gpu.most_pcie_width = ask<Number>("nvmlDeviceGetMaxPcieLinkWidth", n_.most_pcie_width, device);
  gpu.gpu_most_pcie_generation =
      ask<Number>("nvmlDeviceGetGpuMaxPcieLinkGeneration", n_.gpu_most_pcie_generation, device);
  gpu.pcie_replays = ask<Number>("nvmlDeviceGetPcieReplayCounter", n_.pcie_replays, device);
}

void Look::health(Handle device, wire::NvmlGpu& gpu) {
  gpu.clock_reasons = ask<std::uint64_t>("nvmlDeviceGetCurrentClocksEventReasons", n_.clock_reasons, device);
  const auto performance = ask<std::uint32_t>("nvmlDeviceGetPerformanceState", n_.performance_state, device);
  constexpr std::uint32_t unknown_state = 32;
  gpu.performance_state =
      performance.is(unknown_state) ? Known<std::uint32_t>::unknown(Reason::not_derivable) : performance;
  const auto first_of_two = [&](const char* name, auto function, auto zero) {
    if (function == nullptr) return without<bool>(name, kFunctionNotFound);
    auto now = zero;
    auto later = zero;
    const int code = function(device, &now, &later);
    return code == kSuccess ? Known<bool>(now != 0) : without<bool>(name, code);
  };
  gpu.ecc = first_of_two("nvmlDeviceGetEccMode", n_.ecc_mode, 0);
  gpu.mig = first_of_two("nvmlDeviceGetMigMode", n_.mig_mode, 0U);
  constexpr int uncorrected = 1;
  constexpr int since_loading = 0;
  gpu.uncorrected_errors =
      ask<std::uint64_t>("nvmlDeviceGetTotalEccErrors", n_.ecc_errors, device, uncorrected, since_loading);
  constexpr std::array<const char*, 4> modes{"default", "exclusive-thread", "prohibited", "exclusive-process"};
  gpu.compute_mode =
      ask<std::uint32_t>("nvmlDeviceGetComputeMode", n_.compute_mode, device).and_then([&](std::uint32_t mode) {
        return mode < modes.size() ? Known<std::string>(modes.at(mode))
                                   : Known<std::string>::unknown(Reason::not_derivable);
      });
  gpu.persistence = ask<bool>("nvmlDeviceGetPersistenceMode", n_.persistence, device);
  const auto total = [&](const char* name, int (*function)(Handle, MemoryInfo*)) {
    if (function == nullptr) return without<std::uint64_t>(name, kFunctionNotFound);
    MemoryInfo info{};
    const int code = function(device, &info);
    return code == kSuccess ? Known<std::uint64_t>(info.total) : without<std::uint64_t>(name, code);
  };
  gpu.bar1_bytes = total("nvmlDeviceGetBAR1MemoryInfo", n_.bar1);
  gpu.memory_bytes = total("nvmlDeviceGetMemoryInfo", n_.memory);
  if (n_.memory_now == nullptr) {
    gpu.used_bytes = without<std::uint64_t>("nvmlDeviceGetMemoryInfo_v2", kFunctionNotFound);
  } else {
    MemoryInfo2 info{};
    info.version = sizeof info | 2U << 24U;
    const int told = n_.memory_now(device, &info);
    gpu.used_bytes =
        told == kSuccess ? Known<std::uint64_t>(info.used) : without<std::uint64_t>("nvmlDeviceGetMemoryInfo_v2", told);
  }
  if (n_.fabric == nullptr) {
    gpu.fabric = Known<std::string>::absent();  // a driver without the question has no fabric
    return;
  }
  FabricInfo fabric{};
  const int code = n_.fabric(device, &fabric);
  constexpr std::array<const char*, 4> states{"", "not-started", "in-progress", "completed"};
  if (code != kSuccess)
    gpu.fabric = without<std::string>("nvmlDeviceGetGpuFabricInfo", code);
  else if (fabric.state == 0 || fabric.state >= states.size())
    gpu.fabric = Known<std::string>::absent();
  else
    gpu.fabric = std::string(states.at(fabric.state));
}

void Look::links(Handle device, wire::NvmlGpu& gpu) {
  if (n_.link_state == nullptr) return;
  for (unsigned number = 0; number < kMostLinks; ++number) {
    int active = 0;
    // Also what ends the list: numbers beyond the last are invalid arguments.
    if (n_.link_state(device, number, &active) != kSuccess) break;
    wire::NvmlLink link;
    link.number = number;
    link.active = active != 0;
    if (link.active) {
      link.version = ask<std::uint32_t>("nvmlDeviceGetNvLinkVersion", n_.link_version, device, number);
      PciInfo remote{};
      if (n_.link_remote != nullptr && n_.link_remote(device, number, &remote) == kSuccess)
        link.remote = address_of(remote);
      const auto kind = ask<std::uint32_t>("nvmlDeviceGetNvLinkRemoteDeviceType", n_.link_remote_kind, device, number);
      if (kind.is(0)) link.remote_kind = std::string("gpu");
      if (kind.is(1)) link.remote_kind = std::string("npu");
      if (kind.is(2)) link.remote_kind = std::string("switch");
    }
    gpu.links.push_back(std::move(link));
  }
}

wire::NvmlGpu Look::gpu(Handle device, std::string address) {
  wire::NvmlGpu gpu;
  gpu.address = std::move(address);
  std::array<char, 128> text{};
  if (n_.name(device, text.data(), text.size() - 1) == kSuccess) gpu.name = text.data();
  text = {};
  if (n_.uuid != nullptr && n_.uuid(device, text.data(), text.size() - 1) == kSuccess) gpu.uuid = text.data();
  gpu.processes = all_processes(device);
  pcie(device, gpu);
  health(device, gpu);
  links(device, gpu);
  return gpu;
}

Known<std::string> Look::peer(std::size_t from, std::size_t to, int index) {
  constexpr std::array<const char*, 7> words{"ok",
                                             "chipset-not-supported",
                                             "gpu-not-supported",
                                             "topology-not-supported",
                                             "disabled-by-registry",
                                             "not-supported",
                                             "unknown"};
  return ask<std::uint32_t>("nvmlDeviceGetP2PStatus", n_.peer_status, handles_[from], handles_[to], index)
      .and_then([&](std::uint32_t status) {
        return Known<std::string>(words.at(std::min<std::size_t>(status, words.size() - 1)));
      });
}

wire::NvmlPair Look::pair(std::size_t from, std::size_t to) {
  wire::NvmlPair pair;
  pair.from = state_.gpus[from].address;
  pair.to = state_.gpus[to].address;
  pair.read = peer(from, to, 0);
  pair.write = peer(from, to, 1);
  pair.nvlink = peer(from, to, 2);
  pair.atomics = peer(from, to, 3);
  pair.pcie = peer(from, to, 4);
  pair.nvlinks = links_between(state_.gpus[from], state_.gpus[to]);
  constexpr std::array<std::pair<std::uint32_t, const char*>, 6> levels{
      {{0, "same-board"}, {10, "switch"}, {20, "switches"}, {30, "host-bridge"}, {40, "numa-node"}, {50, "system"}}};
  pair.meet =
      ask<std::uint32_t>("nvmlDeviceGetTopologyCommonAncestor", n_.common_ancestor, handles_[from], handles_[to])
          .and_then([&](std::uint32_t level) {
            for (const auto& [number, word] : levels)
              if (number == level) return Known<std::string>(word);
            return Known<std::string>::unknown(Reason::not_derivable);
          });
  return pair;
}

void Look::all() {
  std::array<char, 96> text{};
  if (n_.driver_version(text.data(), text.size() - 1) == kSuccess) state_.driver = text.data();
  int version = 0;
  if (n_.cuda_version(&version) == kSuccess) state_.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  unsigned count = 0;
  if (const int code = n_.count(&count); code != kSuccess) {
    state_.trouble = n_.words("nvmlDeviceGetCount_v2", code);
    return;
  }
  for (unsigned index = 0; index < std::min(count, kMostGpus); ++index) {
    Handle device = nullptr;
    PciInfo info{};
    int code = n_.handle(index, &device);
    if (code == kSuccess) code = n_.pci_info(device, &info);
    if (code != kSuccess) {
      static_cast<void>(without<bool>("nvmlDeviceGetHandleByIndex_v2", code));
      continue;
    }
    handles_.push_back(device);
    state_.gpus.push_back(gpu(device, address_of(info)));
  }
  for (std::size_t from = 0; from < handles_.size(); ++from)
    for (std::size_t to = 0; to < handles_.size(); ++to)
      if (from != to) state_.pairs.push_back(pair(from, to));
}

}  // namespace

wire::NvmlState look(const std::string& library) {
  wire::NvmlState state;
  auto loaded = Library::load(library);
  if (!loaded) {
    state.trouble = loaded.failure().text;
    state.missing = loaded.failure().state == ProbeState::skipped;
    return state;
  }
  const Library& n = *loaded.value();
  if (const int code = n.init(); code != kSuccess) {
    state.trouble = n.words("nvmlInit_v2", code);
    return state;
  }
  Look(n, state).all();
  n.shutdown();
  return state;
}

}  // namespace gpucoop::runtime::nvml
