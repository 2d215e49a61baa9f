// Our declarations against the vendor's header, where it is installed. Nothing of it gets into the program.
#include "runtime/cuda/driver.hpp"

#if __has_include(<cuda.h>)
#include <cuda.h>

#include "same_call.hpp"

template <>
struct gpucoop::Erased<CUipcMemHandle> {
  using Type = gpucoop::runtime::cuda::IpcMemory;
};

namespace {

namespace ours = gpucoop::runtime::cuda;

#define GPUCOOP_SAME(member, function) \
  static_assert(gpucoop::same_call<decltype(ours::Driver::member), decltype(&function)>)
GPUCOOP_SAME(init, cuInit);
GPUCOOP_SAME(driver_version, cuDriverGetVersion);
GPUCOOP_SAME(error_name, cuGetErrorName);
GPUCOOP_SAME(error_string, cuGetErrorString);
GPUCOOP_SAME(device_count, cuDeviceGetCount);
GPUCOOP_SAME(device_get, cuDeviceGet);
GPUCOOP_SAME(device_name, cuDeviceGetName);
GPUCOOP_SAME(device_total_memory, cuDeviceTotalMem);
GPUCOOP_SAME(device_attribute, cuDeviceGetAttribute);
GPUCOOP_SAME(device_pci_bus_id, cuDeviceGetPCIBusId);
GPUCOOP_SAME(primary_retain, cuDevicePrimaryCtxRetain);
GPUCOOP_SAME(primary_release, cuDevicePrimaryCtxRelease);
GPUCOOP_SAME(set_current, cuCtxSetCurrent);
GPUCOOP_SAME(can_access_peer, cuDeviceCanAccessPeer);
GPUCOOP_SAME(peer_attribute, cuDeviceGetP2PAttribute);
GPUCOOP_SAME(enable_peer, cuCtxEnablePeerAccess);
GPUCOOP_SAME(memory_allocate, cuMemAlloc);
GPUCOOP_SAME(memory_free, cuMemFree);
GPUCOOP_SAME(memory_range, cuMemGetAddressRange);
GPUCOOP_SAME(host_allocate, cuMemHostAlloc);
GPUCOOP_SAME(host_free, cuMemFreeHost);
GPUCOOP_SAME(host_device_pointer, cuMemHostGetDevicePointer);
GPUCOOP_SAME(copy, cuMemcpyAsync);
GPUCOOP_SAME(stream_create, cuStreamCreate);
GPUCOOP_SAME(stream_destroy, cuStreamDestroy);
GPUCOOP_SAME(stream_query, cuStreamQuery);
GPUCOOP_SAME(stream_begin_capture, cuStreamBeginCapture);
GPUCOOP_SAME(stream_end_capture, cuStreamEndCapture);
GPUCOOP_SAME(event_create, cuEventCreate);
GPUCOOP_SAME(event_destroy, cuEventDestroy);
GPUCOOP_SAME(event_record, cuEventRecord);
GPUCOOP_SAME(event_elapsed, cuEventElapsedTime);
GPUCOOP_SAME(ipc_get, cuIpcGetMemHandle);
GPUCOOP_SAME(ipc_open, cuIpcOpenMemHandle);
GPUCOOP_SAME(ipc_close, cuIpcCloseMemHandle);
GPUCOOP_SAME(module_load, cuModuleLoadDataEx);
GPUCOOP_SAME(module_unload, cuModuleUnload);
GPUCOOP_SAME(module_function, cuModuleGetFunction);
GPUCOOP_SAME(launch, cuLaunchKernel);
GPUCOOP_SAME(graph_launch, cuGraphLaunch);
GPUCOOP_SAME(graph_destroy, cuGraphDestroy);
GPUCOOP_SAME(graph_exec_destroy, cuGraphExecDestroy);
GPUCOOP_SAME(graph_instantiate, cuGraphInstantiateWithFlags);
#if CUDA_VERSION >= 12040
GPUCOOP_SAME(function_load, cuFuncLoad);
#endif
#undef GPUCOOP_SAME

static_assert(sizeof(ours::IpcMemory) == sizeof(CUipcMemHandle));
static_assert(ours::kNotReady == static_cast<int>(CUDA_ERROR_NOT_READY));
static_assert(ours::kPeerAlreadyEnabled == static_cast<int>(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED));
static_assert(ours::kAttributeMultiprocessors == static_cast<int>(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
static_assert(ours::kAttributeMajor == static_cast<int>(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
static_assert(ours::kAttributeMinor == static_cast<int>(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
static_assert(ours::kAttributeHostNativeAtomics == static_cast<int>(CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED));
static_assert(ours::kPeerNativeAtomics == static_cast<int>(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED));
static_assert(ours::kHostPortable == CU_MEMHOSTALLOC_PORTABLE && ours::kHostMapped == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(ours::kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(ours::kIpcLazyPeerAccess == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
static_assert(ours::kCaptureThreadLocal == static_cast<int>(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
static_assert(ours::kJitErrorLog == static_cast<int>(CU_JIT_ERROR_LOG_BUFFER));
static_assert(ours::kJitErrorLogBytes == static_cast<int>(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));

}  // namespace
#endif
