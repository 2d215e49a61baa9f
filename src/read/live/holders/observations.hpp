#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "read/live/reports.hpp"

namespace gpucoop {

/// A process' open descriptor of a GPU's device node.
struct OpenNode {
  static constexpr Topic kTopic = Topic::open_node;
  enum class Kind : std::uint8_t { render, card, nvidia };
  std::uint32_t pid = 0;
  std::uint32_t fd = 0;
  Kind kind = Kind::render;
  std::uint32_t number = 0;  ///< of `/dev/dri/renderDN`, `/dev/dri/cardN` or `/dev/nvidiaN`

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.pid, self.fd, self.kind, self.number);
  }
};

/// What a DRM driver states about one open descriptor (Documentation/gpu/drm-usage-stats.rst).
struct DrmClient {
  static constexpr Topic kTopic = Topic::client;
  std::uint32_t pid = 0;
  std::uint32_t fd = 0;
  Known<Address> device;    ///< `drm-pdev`
  Known<std::uint64_t> id;  ///< `drm-client-id`: descriptors with the same one are one client
  Known<std::uint64_t>
      memory_bytes;              ///< in the GPU's own memory; absent: the driver states memory, but none of it there
  Known<double> engine_seconds;  ///< of all engines; absent: the driver states memory and no engine that was used
  bool used = false;             ///< memory of any kind, or time on an engine
  bool states_use = false;       ///< the driver states memory or engines, so that not `used` means idle

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.pid, self.fd, self.device, self.id, self.memory_bytes, self.engine_seconds, self.used,
            self.states_use);
  }
};

/// A process' share of one GPU, as KFD states it (drivers/gpu/drm/amd/amdkfd/kfd_process.c).
struct KfdUse {
  static constexpr Topic kTopic = Topic::kfd_process;
  std::uint32_t pid = 0;  ///< as the host numbers its processes, inside a container too
  std::uint64_t gpu_id = 0;
  Known<std::uint64_t> vram_bytes;
  bool queue = false;  ///< it has a queue on the GPU
  std::string evidence;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.pid, self.gpu_id, self.vram_bytes, self.queue, self.evidence);
  }
};

/// What NVIDIA's driver says about a GPU of its own.
struct NvidiaGpu {
  static constexpr Topic kTopic = Topic::nvidia_gpu;
  Address address;
  Known<std::uint32_t> minor;  ///< N of `/dev/nvidiaN`
  std::string model;           ///< `NVIDIA H200`; empty where it says none
  Known<bool> mig;             ///< it is split into MIG instances

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.address, self.minor, self.model, self.mig);
  }
};

/// Who a process is.
struct ProcessReading {
  static constexpr Topic kTopic = Topic::process;
  std::uint32_t pid = 0;
  std::string name;
  Known<std::string> user;
  Known<std::string> unit;
  Known<std::string> container;
  bool user_manager = false;
  Known<double> seconds;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.pid, self.name, self.user, self.unit, self.container, self.user_manager, self.seconds);
  }
};

/// All processes have been looked at.
struct HoldersEnd {
  static constexpr Topic kTopic = Topic::holders_end;
  std::uint32_t processes = 0;
  std::uint32_t refused = 0;      ///< processes whose descriptors may not be seen
  bool first = false;             ///< process 1 is shown: with hidepid it is not
  Known<bool> initial_namespace;  ///< the numbers are the host's own, so that no process of the host is left out
  bool kfd = false;               ///< KFD's list of processes, which has those of the whole host, was read whole

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.processes, self.refused, self.first, self.initial_namespace, self.kfd);
  }
};

}  // namespace gpucoop
