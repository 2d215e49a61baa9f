#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/outcome.hpp"

namespace gpucoop::runtime::nvml {

// NVIDIA's management library as far as it is used here, declared by hand; a test compares sizes with nvml.h where that
// header is at hand.
using Handle = void*;
struct PciInfo {
  char legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char address[32];  ///< `00000000:0B:00.0`
};
static_assert(sizeof(PciInfo) == 68);
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;  ///< all ones: not told
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);
struct MemoryInfo {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct MemoryInfo2 {
  unsigned version;  ///< size of this, and 2 in the highest byte
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
static_assert(sizeof(MemoryInfo2) == 40);
struct FabricInfo {
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;
};

enum Code : int {
  kSuccess = 0,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kInsufficientSize = 7,
  kTimeout = 10,
  kFunctionNotFound = 13,
  kGpuLost = 15,
};

/// libnvidia-ml.so.1, loaded. Functions that some versions lack are null there.
struct Library {
  /// By the loader's search where `path` is empty. `skipped`: there is none.
  [[nodiscard]] static Outcome<std::shared_ptr<const Library>> load(const std::string& path);
  /// `nvmlInit_v2: Driver Not Loaded (9)`
  [[nodiscard]] std::string words(const char* function, int code) const;

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int code) = nullptr;
  int (*driver_version)(char* text, unsigned bytes) = nullptr;
  int (*cuda_version)(int* version) = nullptr;
  int (*count)(unsigned* count) = nullptr;
  int (*handle)(unsigned index, Handle* device) = nullptr;
  int (*pci_info)(Handle device, PciInfo* info) = nullptr;
  int (*name)(Handle device, char* text, unsigned bytes) = nullptr;
  // From here on any may be null.
  int (*uuid)(Handle device, char* text, unsigned bytes) = nullptr;
  int (*compute_processes)(Handle device, unsigned* count, ProcessInfo* infos) = nullptr;
  int (*graphics_processes)(Handle device, unsigned* count, ProcessInfo* infos) = nullptr;
  int (*mps_processes)(Handle device, unsigned* count, ProcessInfo* infos) = nullptr;
  int (*pcie_generation)(Handle device, unsigned* value) = nullptr;
  int (*pcie_width)(Handle device, unsigned* value) = nullptr;
  int (*most_pcie_generation)(Handle device, unsigned* value) = nullptr;
  int (*most_pcie_width)(Handle device, unsigned* value) = nullptr;
  int (*gpu_most_pcie_generation)(Handle device, unsigned* value) = nullptr;
  int (*pcie_replays)(Handle device, unsigned* value) = nullptr;
  int (*clock_reasons)(Handle device, unsigned long long* reasons) = nullptr;
  int (*performance_state)(Handle device, int* state) = nullptr;
  int (*ecc_mode)(Handle device, int* current, int* pending) = nullptr;
  int (*ecc_errors)(Handle device, int kind, int counter, unsigned long long* count) = nullptr;
  int (*mig_mode)(Handle device, unsigned* current, unsigned* pending) = nullptr;
  int (*compute_mode)(Handle device, int* mode) = nullptr;
  int (*persistence)(Handle device, int* mode) = nullptr;
  int (*bar1)(Handle device, MemoryInfo* info) = nullptr;
  int (*memory)(Handle device, MemoryInfo* info) = nullptr;
  int (*memory_now)(Handle device, MemoryInfo2* info) = nullptr;
  int (*fabric)(Handle device, FabricInfo* info) = nullptr;
  int (*link_state)(Handle device, unsigned link, int* active) = nullptr;
  int (*link_version)(Handle device, unsigned link, unsigned* version) = nullptr;
  int (*link_remote)(Handle device, unsigned link, PciInfo* info) = nullptr;
  int (*link_remote_kind)(Handle device, unsigned link, int* kind) = nullptr;
  int (*peer_status)(Handle from, Handle to, int index, int* status) = nullptr;
  int (*common_ancestor)(Handle a, Handle b, int* level) = nullptr;
};

}  // namespace gpucoop::runtime::nvml
