#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/outcome.hpp"

namespace gpucoop::runtime::cuda {

// The driver's interface as far as it is used here, declared by hand: no toolkit takes part, neither at build nor at
// run time. A test compares it with cuda.h where that header is at hand.
using DeviceId = int;
using DevicePointer = unsigned long long;
struct IpcMemory {
  char bytes[64];
};

enum Code : int {
  kSuccess = 0,
  kNotReady = 600,
  kPeerAlreadyEnabled = 704,
};

enum Attribute : int {
  kAttributeMultiprocessors = 16,
  kAttributeComputeMode = 20,
  kAttributeMajor = 75,
  kAttributeMinor = 76,
  kAttributeHostNativeAtomics = 86,
};
constexpr int kPeerNativeAtomics = 3;
constexpr unsigned kHostPortable = 1;
constexpr unsigned kHostMapped = 2;
constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kIpcLazyPeerAccess = 1;
constexpr int kCaptureThreadLocal = 1;
constexpr int kJitErrorLog = 5;
constexpr int kJitErrorLogBytes = 6;

/// libcuda.so.1, loaded.
struct Driver {
  /// Loads the library: by the loader's search where `path` is empty. Functions that only some drivers have may be
  /// null: those at the end.
  [[nodiscard]] static Outcome<std::shared_ptr<const Driver>> load(const std::string& path);

  /// What the driver says about a code: `cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory`.
  [[nodiscard]] Failure failure(const char* function, int code) const;
  /// Done for 0, else the Failure.
  [[nodiscard]] Outcome<> check(const char* function, int code) const;

  std::string path;  ///< of the file, links resolved

  int (*init)(unsigned flags) = nullptr;
  int (*driver_version)(int* version) = nullptr;
  int (*error_name)(int code, const char** text) = nullptr;
  int (*error_string)(int code, const char** text) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device_get)(DeviceId* device, int ordinal) = nullptr;
  int (*device_name)(char* name, int bytes, DeviceId device) = nullptr;
  int (*device_total_memory)(std::size_t* bytes, DeviceId device) = nullptr;
  int (*device_attribute)(int* value, int attribute, DeviceId device) = nullptr;
  int (*device_pci_bus_id)(char* text, int bytes, DeviceId device) = nullptr;
  int (*primary_retain)(void** context, DeviceId device) = nullptr;
  int (*primary_release)(DeviceId device) = nullptr;
  int (*set_current)(void* context) = nullptr;
  int (*can_access_peer)(int* can, DeviceId device, DeviceId peer) = nullptr;
  int (*peer_attribute)(int* value, int attribute, DeviceId from, DeviceId to) = nullptr;
  int (*enable_peer)(void* peer_context, unsigned flags) = nullptr;
  int (*memory_allocate)(DevicePointer* pointer, std::size_t bytes) = nullptr;
  int (*memory_free)(DevicePointer pointer) = nullptr;
  int (*memory_range)(DevicePointer* base, std::size_t* bytes, DevicePointer pointer) = nullptr;
  int (*host_allocate)(void** pointer, std::size_t bytes, unsigned flags) = nullptr;
  int (*host_free)(void* pointer) = nullptr;
  int (*host_device_pointer)(DevicePointer* pointer, void* host, unsigned flags) = nullptr;
  int (*copy)(DevicePointer to, DevicePointer from, std::size_t bytes, void* stream) = nullptr;
  int (*stream_create)(void** stream, unsigned flags) = nullptr;
  int (*stream_destroy)(void* stream) = nullptr;
  int (*stream_query)(void* stream) = nullptr;
  int (*stream_begin_capture)(void* stream, int mode) = nullptr;
  int (*stream_end_capture)(void* stream, void** graph) = nullptr;
  int (*event_create)(void** event, unsigned flags) = nullptr;
  int (*event_destroy)(void* event) = nullptr;
  int (*event_record)(void* event, void* stream) = nullptr;
  int (*event_elapsed)(float* milliseconds, void* begin, void* end) = nullptr;
  int (*ipc_get)(IpcMemory* handle, DevicePointer pointer) = nullptr;
  int (*ipc_open)(DevicePointer* pointer, IpcMemory handle, unsigned flags) = nullptr;
  int (*ipc_close)(DevicePointer pointer) = nullptr;
  int (*module_load)(void** module, const void* image, unsigned count, int* options, void** values) = nullptr;
  int (*module_unload)(void* module) = nullptr;
  int (*module_function)(void** function, void* module, const char* name) = nullptr;
  int (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                unsigned block_z, unsigned shared_bytes, void* stream, void** parameters, void** extra) = nullptr;
  int (*graph_launch)(void* graph, void* stream) = nullptr;
  int (*graph_destroy)(void* graph) = nullptr;
  int (*graph_exec_destroy)(void* graph) = nullptr;
  // Not in every driver:
  int (*graph_instantiate)(void** exec, void* graph, unsigned long long flags) = nullptr;  // 11.4
  int (*function_load)(void* function) = nullptr;                                          // 12.4
};

}  // namespace gpucoop::runtime::cuda
