// The functions of libcuda.so.1 that gpucoop uses.
#include "cuda_fake.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

namespace fake::cuda {

std::map<std::uint64_t, Block>& all_blocks();

namespace {

bool initialised = false;
thread_local void* current = nullptr;

struct Module {
  int device;
};
struct Function {
  int device;
  std::string name;
};
struct Event {
  double at = -1;
};
struct Graph {
  std::vector<Task> tasks;
};
struct Code {
  int code;
  const char* name;
  const char* text;
};
// The driver's own words.
constexpr Code kCodes[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
};

int devices() {
  if (told("no-device")) return 0;
  const char* text = std::getenv("GPUCOOP_FAKE_CUDA_DEVICES");
  return text != nullptr ? std::atoi(text) : 2;
}

void* context_of(int device) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(device + 1)); }
int device_now() { return static_cast<int>(reinterpret_cast<std::uintptr_t>(current)) - 1; }
std::uint64_t enabled_peers[64];

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Handle {
  std::int32_t pid;
  std::int32_t fd;
  std::uint64_t bytes;
};

Stream* as_stream(void* handle) { return static_cast<Stream*>(handle); }

}  // namespace
}  // namespace fake::cuda

using namespace fake::cuda;

FAKE_API int cuInit(unsigned) {
  if (told("init-hang")) fake::hang();
  if (told("init-crash")) fake::crash();
  if (told("init-803")) return 803;
  if (told("no-device")) return 100;
  initialised = true;
  return 0;
}
FAKE_API int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
FAKE_API int cuGetErrorName(int code, const char** text) {
  for (const Code& known : kCodes)
    if (known.code == code) return *text = known.name, 0;
  return *text = nullptr, 1;
}
FAKE_API int cuGetErrorString(int code, const char** text) {
  for (const Code& known : kCodes)
    if (known.code == code) return *text = known.text, 0;
  return *text = nullptr, 1;
}
FAKE_API int cuDeviceGetCount(int* count) {
  if (!initialised) return 3;
  if (told("enumerate-crash")) fake::crash();
  *count = devices();
  return 0;
}
FAKE_API int cuDeviceGet(int* device, int ordinal) {
  if (ordinal < 0 || ordinal >= devices()) return 101;
  *device = ordinal;
  return 0;
}
FAKE_API int cuDeviceGetName(char* name, int bytes, int device) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU %d", device);
  return 0;
}
FAKE_API int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{8} << 30U;
  return 0;
}
FAKE_API int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 16: *value = 4; break;
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    default: *value = 0;
  }
  return 0;
}
FAKE_API int cuDeviceGetPCIBusId(char* text, int bytes, int device) {
  const char* first = std::getenv("GPUCOOP_FAKE_CUDA_BUS");
  const int bus = (first != nullptr ? static_cast<int>(std::strtol(first, nullptr, 16)) : 0xA0) + device;
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0", static_cast<unsigned>(bus) & 0xFFU);
  return 0;
}
FAKE_API int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (told("context-46")) return 46;
  *context = context_of(device);
  return 0;
}
FAKE_API int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
FAKE_API int cuCtxSetCurrent(void* context) {
  current = context;
  return 0;
}
FAKE_API int cuCtxGetDevice(int* device) {
  if (current == nullptr) return 201;
  *device = device_now();
  return 0;
}
FAKE_API int cuDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer && !told("peer-no") ? 1 : 0;
  return 0;
}
FAKE_API int cuDeviceGetP2PAttribute(int* value, int, int, int) {
  *value = told("peer-no") ? 0 : 1;
  return 0;
}
FAKE_API int cuCtxEnablePeerAccess(void* peer, unsigned) {
  if (told("peer-no")) return 217;
  auto& enabled = enabled_peers[device_now()];
  const auto bit = std::uint64_t{1} << reinterpret_cast<std::uintptr_t>(peer);
  if ((enabled & bit) != 0) return 704;
  enabled |= bit;
  return 0;
}
FAKE_API int cuMemAlloc_v2(std::uint64_t* pointer, std::size_t bytes) {
  if (current == nullptr) return 201;
  const int fd = memfd_create("fake-gpu", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) return 2;
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (start == MAP_FAILED) return close(fd), 2;
  *pointer = reinterpret_cast<std::uint64_t>(start);
  const std::lock_guard lock(memory_mutex());
  Block& block = all_blocks()[*pointer];
  block.start = *pointer;
  block.bytes = bytes;
  block.device = device_now();
  block.fd = fd;
  return 0;
}
FAKE_API int cuMemFree_v2(std::uint64_t pointer) {
  finish_streams(device_now());
  const std::lock_guard lock(memory_mutex());
  auto found = all_blocks().find(pointer);
  if (found == all_blocks().end() || found->second.fd < 0) return 1;
  munmap(reinterpret_cast<void*>(pointer), found->second.bytes);
  close(found->second.fd);
  all_blocks().erase(found);
  return 0;
}
FAKE_API int cuMemGetAddressRange_v2(std::uint64_t* base, std::size_t* bytes, std::uint64_t pointer) {
  const std::lock_guard lock(memory_mutex());
  const Block* block = block_of(pointer);
  if (block == nullptr) return 1;
  *base = block->start;
  *bytes = block->bytes;
  return 0;
}
FAKE_API int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (current == nullptr) return 201;
  if ((flags & 3U) != 3U) return 1;  // portable and mapped: what several devices need
  if (posix_memalign(pointer, 4096, bytes) != 0) return 2;
  std::memset(*pointer, 0xEE, bytes);
  const std::lock_guard lock(memory_mutex());
  const auto start = reinterpret_cast<std::uint64_t>(*pointer);
  Block& block = all_blocks()[start];
  block.start = start;
  block.bytes = bytes;
  return 0;
}
FAKE_API int cuMemFreeHost(void* pointer) {
  finish_streams(device_now());
  const std::lock_guard lock(memory_mutex());
  if (all_blocks().erase(reinterpret_cast<std::uint64_t>(pointer)) == 0) return 1;
  std::free(pointer);
  return 0;
}
FAKE_API int cuMemHostGetDevicePointer_v2(std::uint64_t* pointer, void* host, unsigned) {
  *pointer = reinterpret_cast<std::uint64_t>(host);
  return 0;
}
FAKE_API int cuStreamCreate(void** stream, unsigned flags) {
  if (current == nullptr) return 201;
  if (flags != 1) return 1;
  *stream = new Stream(device_now());
  return 0;
}
FAKE_API int cuStreamDestroy_v2(void* stream) {
  delete as_stream(stream);
  return 0;
}
FAKE_API int cuStreamQuery(void* stream) {
  if (as_stream(stream)->capturing) return 900;
  return as_stream(stream)->idle() ? 0 : 600;
}
FAKE_API int cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
  const int device = as_stream(stream)->device;
  as_stream(stream)->put([=] {
    std::vector<unsigned char> all(bytes);
    read_memory(device, from, all.data(), bytes);
    write_memory(device, to, all.data(), bytes);
  });
  return 0;
}
FAKE_API int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  as_stream(stream)->put([=] { function(data); });
  return 0;
}
FAKE_API int cuStreamBeginCapture_v2(void* stream, int) {
  as_stream(stream)->capturing = true;
  return 0;
}
FAKE_API int cuStreamEndCapture(void* stream, void** graph) {
  Stream& s = *as_stream(stream);
  if (!s.capturing) return 1;
  s.capturing = false;
  *graph = new Graph{std::exchange(s.captured, {})};
  return 0;
}
FAKE_API int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
  *exec = new Graph(*static_cast<Graph*>(graph));
  return 0;
}
FAKE_API int cuGraphLaunch(void* exec, void* stream) {
  for (const Task& task : static_cast<Graph*>(exec)->tasks) as_stream(stream)->put(task);
  return 0;
}
FAKE_API int cuGraphDestroy(void* graph) {
  delete static_cast<Graph*>(graph);
  return 0;
}
FAKE_API int cuGraphExecDestroy(void* graph) {
  delete static_cast<Graph*>(graph);
  return 0;
}
FAKE_API int cuEventCreate(void** event, unsigned) {
  *event = new std::shared_ptr<Event>(std::make_shared<Event>());
  return 0;
}
FAKE_API int cuEventDestroy_v2(void* event) {
  delete static_cast<std::shared_ptr<Event>*>(event);
  return 0;
}
FAKE_API int cuEventRecord(void* event, void* stream) {
  as_stream(stream)->put([e = *static_cast<std::shared_ptr<Event>*>(event)] { e->at = seconds(); });
  return 0;
}
FAKE_API int cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  const double from = (*static_cast<std::shared_ptr<Event>*>(begin))->at;
  const double to = (*static_cast<std::shared_ptr<Event>*>(end))->at;
  if (from < 0 || to < 0) return 600;
  *milliseconds = static_cast<float>((to - from) * 1e3);
  return 0;
}
FAKE_API int cuIpcGetMemHandle(char* handle, std::uint64_t pointer) {
  const std::lock_guard lock(memory_mutex());
  const Block* block = block_of(pointer);
  if (block == nullptr || block->fd < 0) return 1;
  const Handle made{getpid(), block->fd, block->bytes};
  std::memset(handle, 0, 64);
  std::memcpy(handle, &made, sizeof made);
  return 0;
}
struct IpcMemory {
  char bytes[64];
};
FAKE_API int cuIpcOpenMemHandle_v2(std::uint64_t* pointer, IpcMemory handle, unsigned flags) {
  if (current == nullptr) return 201;
  if (flags != 1) return 1;
  if (told("ipc-refused")) return 217;
  Handle made;
  std::memcpy(&made, handle.bytes, sizeof made);
  if (made.pid == getpid()) return 201;  // CUDA refuses the process that made it
  const std::string path = "/proc/" + std::to_string(made.pid) + "/fd/" + std::to_string(made.fd);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return 1;
  void* start = mmap(nullptr, made.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (start == MAP_FAILED) return 2;
  *pointer = reinterpret_cast<std::uint64_t>(start);
  const std::lock_guard lock(memory_mutex());
  Block& block = all_blocks()[*pointer];
  block.start = *pointer;
  block.bytes = made.bytes;
  block.device = device_now();
  block.imported = true;
  return 0;
}
FAKE_API int cuIpcCloseMemHandle(std::uint64_t pointer) {
  finish_streams(device_now());
  const std::lock_guard lock(memory_mutex());
  auto found = all_blocks().find(pointer);
  if (found == all_blocks().end() || !found->second.imported) return 1;
  munmap(reinterpret_cast<void*>(pointer), found->second.bytes);
  all_blocks().erase(found);
  return 0;
}
FAKE_API int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options, void** values) {
  if (current == nullptr) return 201;
  if (told("module-222")) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5) std::strcpy(static_cast<char*>(values[i]), "ptxas fatal: Unsupported .version");
    return 222;
  }
  if (std::strstr(static_cast<const char*>(image), ".version") == nullptr) return 218;
  *module = new Module{device_now()};
  return 0;
}
FAKE_API int cuModuleUnload(void* module) {
  delete static_cast<Module*>(module);
  return 0;
}
FAKE_API int cuModuleGetFunction(void** function, void* module, const char* name) {
  static auto* mutex = new std::mutex;
  static auto* functions = new std::map<std::pair<int, std::string>, Function>;
  const std::lock_guard lock(*mutex);
  const int device = static_cast<Module*>(module)->device;
  auto [found, added] = functions->try_emplace({device, name}, Function{device, name});
  *function = &found->second;
  return 0;
}
FAKE_API int cuLaunchKernel(void* function, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned,
                            unsigned, void* stream, void** parameters, void**) {
  if (grid == 0 || block == 0 || block > 1024) return 1;
  if (told("launch-719")) return 719;
  const auto* f = static_cast<Function*>(function);
  Task task = kernel_task(f->name.c_str(), f->device, parameters);
  if (!task) return 500;
  as_stream(stream)->put(std::move(task));
  return 0;
}
