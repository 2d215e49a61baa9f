#include "runtime/cuda/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <climits>
#include <cstdlib>

namespace gpucoop::runtime::cuda {

namespace {

constexpr const char* kLibrary = "libcuda.so.1";

/// What is no fault of the operation: the driver, its set-up or the hardware does not do such things.
bool is_refusal(int code) {
  switch (code) {
    case 34:   // stub library
    case 35:   // driver older than the library
    case 36:   // needs a newer driver
    case 46:   // device unavailable: exclusive mode or busy
    case 100:  // no device
    case 101:  // no such device
    case 102:  // not licensed
    case 205:  // mapping failed
    case 209:  // no code for this GPU
    case 217:  // peer access unsupported
    case 221:  // no compiler for PTX
    case 222:  // PTX too new
    case 304:  // the operating system refused
    case 711:  // too many peers
    case 800:  // not permitted
    case 801:  // not supported
    case 802:  // system not ready: fabric manager
    case 803:  // driver and library disagree
    case 804:  // compatibility mode not on this GPU
      return true;
    default: return false;
  }
}

class Binder {
 public:
  explicit Binder(void* library) : library_(library) {}

  template <class Function>
  void optional(const char* name, Function& to) {
    to = reinterpret_cast<Function>(dlsym(library_, name));
  }
  template <class Function>
  void required(const char* name, Function& to) {
    optional(name, to);
    if (to == nullptr && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

// Names as the header's macros resolve them: the plain ones are older interfaces.
void bind(Binder& b, Driver& d) {
  b.required("cuInit", d.init);
  b.required("cuDriverGetVersion", d.driver_version);
  b.required("cuGetErrorName", d.error_name);
  b.required("cuGetErrorString", d.error_string);
  b.required("cuDeviceGetCount", d.device_count);
  b.required("cuDeviceGet", d.device_get);
  b.required("cuDeviceGetName", d.device_name);
  b.required("cuDeviceTotalMem_v2", d.device_total_memory);
  b.required("cuDeviceGetAttribute", d.device_attribute);
  b.required("cuDeviceGetPCIBusId", d.device_pci_bus_id);
  b.required("cuDevicePrimaryCtxRetain", d.primary_retain);
  b.required("cuDevicePrimaryCtxRelease_v2", d.primary_release);
  b.required("cuCtxSetCurrent", d.set_current);
  b.required("cuDeviceCanAccessPeer", d.can_access_peer);
  b.required("cuDeviceGetP2PAttribute", d.peer_attribute);
  b.required("cuCtxEnablePeerAccess", d.enable_peer);
  b.required("cuMemAlloc_v2", d.memory_allocate);
  b.required("cuMemFree_v2", d.memory_free);
  b.required("cuMemGetAddressRange_v2", d.memory_range);
  b.required("cuMemHostAlloc", d.host_allocate);
  b.required("cuMemFreeHost", d.host_free);
  b.required("cuMemHostGetDevicePointer_v2", d.host_device_pointer);
  b.required("cuMemcpyAsync", d.copy);
  b.required("cuStreamCreate", d.stream_create);
  b.required("cuStreamDestroy_v2", d.stream_destroy);
  b.required("cuStreamQuery", d.stream_query);
  b.required("cuStreamBeginCapture_v2", d.stream_begin_capture);
  b.required("cuStreamEndCapture", d.stream_end_capture);
  b.required("cuEventCreate", d.event_create);
  b.required("cuEventDestroy_v2", d.event_destroy);
  b.required("cuEventRecord", d.event_record);
  b.required("cuEventElapsedTime", d.event_elapsed);
  b.required("cuIpcGetMemHandle", d.ipc_get);
  b.required("cuIpcOpenMemHandle_v2", d.ipc_open);
  b.required("cuIpcCloseMemHandle", d.ipc_close);
  b.required("cuModuleLoadDataEx", d.module_load);
  b.required("cuModuleUnload", d.module_unload);
  b.required("cuModuleGetFunction", d.module_function);
  b.required("cuLaunchKernel", d.launch);
  b.required("cuGraphLaunch", d.graph_launch);
  b.required("cuGraphDestroy", d.graph_destroy);
  b.required("cuGraphExecDestroy", d.graph_exec_destroy);
  b.optional("cuGraphInstantiateWithFlags", d.graph_instantiate);
  b.optional("cuFuncLoad", d.function_load);
}

std::string file_of(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return {};
  char resolved[PATH_MAX];
  return realpath(map->l_name, resolved) != nullptr ? resolved : map->l_name;
}

}  // namespace

Outcome<std::shared_ptr<const Driver>> Driver::load(const std::string& path) {
  // Never closed: the driver keeps threads and handlers of its own.
  void* library = dlopen(path.empty() ? kLibrary : path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return Failure{ProbeState::skipped, why != nullptr ? why : std::string(kLibrary) + ": cannot be loaded"};
  }
  auto driver = std::make_shared<Driver>();
  driver->path = file_of(library);
  Binder binder(library);
  bind(binder, *driver);
  if (!binder.missing().empty())
    return Failure{ProbeState::refused, fmt::format("{}: has no {}: not NVIDIA's driver library, or one too old",
                                                    driver->path, binder.missing())};
  return std::shared_ptr<const Driver>(std::move(driver));
}

Failure Driver::failure(const char* function, int code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (error_name(code, &name) != kSuccess || name == nullptr) name = "unknown code";
  if (error_string(code, &text) != kSuccess || text == nullptr) text = "no text";
  return Failure{is_refusal(code) ? ProbeState::refused : ProbeState::failed,
                 fmt::format("{}: {} ({}): {}", function, name, code, text)};
}

Outcome<> Driver::check(const char* function, int code) const {
  if (code == kSuccess) return Done{};
  return failure(function, code);
}

}  // namespace gpucoop::runtime::cuda
