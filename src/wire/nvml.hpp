#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/known.hpp"

namespace gpucoop::wire {

/// A process that has something on a GPU, as NVIDIA's management library sees it. In a container the number may be the
/// one of the host.
struct NvmlProcess {
  std::uint32_t pid = 0;
  bool graphics = false;
  Known<std::uint64_t> memory_bytes;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.pid, self.graphics, self.memory_bytes);
  }
};

/// An NVLink of a GPU that can be asked about.
struct NvmlLink {
  std::uint32_t number = 0;
  bool active = false;
  Known<std::uint32_t> version;
  Known<std::string> remote;       ///< address of what is at its other end
  Known<std::string> remote_kind;  ///< `gpu`, `switch`, `npu`

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.number, self.active, self.version, self.remote, self.remote_kind);
  }
};

/// A GPU. Values are absent where the library calls them not supported there.
struct NvmlGpu {
  std::string address;
  std::string name;
  std::string uuid;
  Known<std::vector<NvmlProcess>> processes;
  Known<std::uint32_t> pcie_generation;       ///< now: an idle GPU may have stepped down
  Known<std::uint32_t> pcie_width;            ///< lanes
  Known<std::uint32_t> most_pcie_generation;  ///< that GPU and slot can do together
  Known<std::uint32_t> most_pcie_width;
  Known<std::uint32_t> gpu_most_pcie_generation;  ///< that the GPU alone could do
  Known<std::uint32_t> pcie_replays;              ///< since the driver was loaded
  Known<std::uint64_t> clock_reasons;             ///< why clocks are held down; `clock_reason_words`
  Known<std::uint32_t> performance_state;         ///< 0 is the fastest
  Known<bool> ecc;
  Known<std::uint64_t> uncorrected_errors;  ///< of memory, since the driver was loaded
  Known<bool> mig;
  Known<std::string> compute_mode;  ///< `default`, `exclusive-thread`, `prohibited`, `exclusive-process`
  Known<bool> persistence;
  Known<std::uint64_t> bar1_bytes;
  Known<std::uint64_t> memory_bytes;
  Known<std::uint64_t> used_bytes;  ///< of the memory; without what the driver keeps for itself
  Known<std::string> fabric;        ///< of hosts with NVSwitch: `not-started`, `in-progress`, `completed`
  std::vector<NvmlLink> links;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.address, self.name, self.uuid, self.processes, self.pcie_generation, self.pcie_width,
            self.most_pcie_generation, self.most_pcie_width, self.gpu_most_pcie_generation, self.pcie_replays,
            self.clock_reasons, self.performance_state, self.ecc, self.uncorrected_errors, self.mig, self.compute_mode,
            self.persistence, self.bar1_bytes, self.memory_bytes, self.used_bytes, self.fabric, self.links);
  }
};

/// What the driver says of one GPU reaching another, and why not: `ok`, `chipset-not-supported`, `gpu-not-supported`,
/// `topology-not-supported`, `disabled-by-registry`, `not-supported`, `unknown`.
struct NvmlPair {
  std::string from;
  std::string to;
  Known<std::string> read;
  Known<std::string> write;
  Known<std::string> nvlink;
  Known<std::string> atomics;
  Known<std::string> pcie;
  Known<std::string> meet;       ///< `same-board`, `switch`, `switches`, `host-bridge`, `numa-node`, `system`
  Known<std::uint32_t> nvlinks;  ///< active ones that lead from one to the other, through a switch or not

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.from, self.to, self.read, self.write, self.nvlink, self.atomics, self.pcie, self.meet, self.nvlinks);
  }
};

/// What the library said in one look.
struct NvmlState {
  std::string trouble;   ///< why there is nothing else, in its words
  bool missing = false;  ///< the trouble: there is no such library
  std::string driver;    ///< `580.159.04`
  std::string cuda;      ///< `13.0`: the newest that the driver serves
  std::vector<NvmlGpu> gpus;
  std::vector<NvmlPair> pairs;       ///< ordered ones
  std::vector<std::string> unasked;  ///< functions that failed, each with the library's words, once

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.trouble, self.missing, self.driver, self.cuda, self.gpus, self.pairs, self.unasked);
  }
};

/// `power cap`, `thermal (hardware)`, … for each bit that says that something holds the clocks down; idleness does not.
[[nodiscard]] std::vector<std::string> clock_reason_words(std::uint64_t reasons);

/// The payload of one frame and back; the lists are cut so that it fits.
[[nodiscard]] std::string encode(const NvmlState& state);
[[nodiscard]] Result<NvmlState> decode_nvml(std::string_view bytes);

}  // namespace gpucoop::wire
