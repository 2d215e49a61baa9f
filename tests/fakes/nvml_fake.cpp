// The functions of libnvidia-ml.so.1 that gpucoop uses, for GPUCOOP_FAKE_CUDA_DEVICES GPUs (2 without it), on buses
// from GPUCOOP_FAKE_CUDA_BUS (a0 without it) on. GPUCOOP_FAKE_NVML: a comma-separated list of
//   init-9 (driver not loaded)  init-18 (library and kernel disagree)  init-hang  init-crash
//   busy       process 4242 computes on the second GPU, and process 77 draws on it
//   no-holders asking for processes gives "no permission"
//   no-list    processes that draw cannot be listed
//   used       700 MiB of the memory of the second GPU are in use, by nobody who is listed
//   p2p-cns    reads are refused by the chipset
//   mig        the second GPU is in MIG mode
//   no-nvlink  there is none; without it 18 links go to a switch
#include <cstdint>
#include <cstdio>

#include "fake.hpp"

namespace {

bool told(std::string_view word) { return fake::told("GPUCOOP_FAKE_NVML", word); }

unsigned devices() {
  const char* text = std::getenv("GPUCOOP_FAKE_CUDA_DEVICES");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 2;
}
int number(void* device) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(device)) - 1; }

struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char address[32];
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct MemoryInfo {
  unsigned long long total, free, used;
};
struct MemoryInfo2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};

int give(unsigned* to, unsigned value) { return *to = value, 0; }

}  // namespace

FAKE_API int nvmlInit_v2() {
  if (told("init-hang")) fake::hang();
  if (told("init-crash")) fake::crash();
  if (told("init-9")) return 9;
  return told("init-18") ? 18 : 0;
}
FAKE_API int nvmlShutdown() { return 0; }
FAKE_API const char* nvmlErrorString(int code) {
  switch (code) {
    case 0: return "Success";
    case 2: return "Invalid Argument";
    case 3: return "Not Supported";
    case 4: return "Insufficient Permissions";
    case 9: return "Driver Not Loaded";
    case 13: return "Function Not Found";
    case 18: return "Driver/library version mismatch";
    default: return "Unknown Error";
  }
}
FAKE_API int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  return std::snprintf(text, bytes, "580.159.04"), 0;
}
FAKE_API int nvmlSystemGetCudaDriverVersion_v2(int* version) { return *version = 13000, 0; }
FAKE_API int nvmlDeviceGetCount_v2(unsigned* count) { return give(count, devices()); }
FAKE_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= devices()) return 2;
  return *device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(index + 1)), 0;
}
FAKE_API int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) {
  std::memset(info, 0, sizeof *info);
  const char* first = std::getenv("GPUCOOP_FAKE_CUDA_BUS");
  const int bus = (first != nullptr ? static_cast<int>(std::strtol(first, nullptr, 16)) : 0xA0) + number(device);
  std::snprintf(info->address, sizeof info->address, "00000000:%02X:00.0", static_cast<unsigned>(bus) & 0xFFU);
  return 0;
}
FAKE_API int nvmlDeviceGetName(void* device, char* text, unsigned bytes) {
  return std::snprintf(text, bytes, "Fake GPU %d", number(device)), 0;
}
FAKE_API int nvmlDeviceGetUUID(void* device, char* text, unsigned bytes) {
  return std::snprintf(text, bytes, "GPU-fake-%d", number(device)), 0;
}
FAKE_API int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, ProcessInfo* infos) {
  if (told("no-holders")) return 4;
  const bool busy = told("busy") && number(device) == 1;
  if (busy && *count < 1) return *count = 1, 7;
  *count = busy ? 1 : 0;
  if (busy) infos[0] = {4242, 1ULL << 30U, ~0U, ~0U};
  return 0;
}
FAKE_API int nvmlDeviceGetGraphicsRunningProcesses_v3(void* device, unsigned* count, ProcessInfo* infos) {
  if (told("no-list")) return 3;
  const bool busy = told("busy") && number(device) == 1;
  if (busy) infos[0] = {77, ~0ULL, ~0U, ~0U};
  *count = busy ? 1 : 0;
  return 0;
}
FAKE_API int nvmlDeviceGetMPSComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo*) { return *count = 0, 3; }
FAKE_API int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* value) { return give(value, 1); }
FAKE_API int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* value) { return give(value, 16); }
FAKE_API int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* value) { return give(value, 5); }
FAKE_API int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* value) { return give(value, 16); }
FAKE_API int nvmlDeviceGetGpuMaxPcieLinkGeneration(void*, unsigned* value) { return give(value, 5); }
FAKE_API int nvmlDeviceGetPcieReplayCounter(void*, unsigned* value) { return give(value, 0); }
FAKE_API int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) { return *reasons = 0x41, 0; }
FAKE_API int nvmlDeviceGetPerformanceState(void*, int* state) { return *state = 0, 0; }
FAKE_API int nvmlDeviceGetEccMode(void*, int* now, int* later) { return *now = *later = 1, 0; }
FAKE_API int nvmlDeviceGetTotalEccErrors(void*, int kind, int, unsigned long long* count) {
  return *count = kind == 1 ? 3 : 900, 0;
}
FAKE_API int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* later) {
  if (!told("mig")) return 3;
  *now = *later = number(device) == 1 ? 1 : 0;
  return 0;
}
FAKE_API int nvmlDeviceGetComputeMode(void*, int* mode) { return *mode = 3, 0; }
FAKE_API int nvmlDeviceGetPersistenceMode(void*, int* mode) { return *mode = 1, 0; }
FAKE_API int nvmlDeviceGetBAR1MemoryInfo(void*, MemoryInfo* info) { return *info = {256ULL << 20U, 0, 0}, 0; }
FAKE_API int nvmlDeviceGetMemoryInfo(void*, MemoryInfo* info) { return *info = {8ULL << 30U, 0, 0}, 0; }
FAKE_API int nvmlDeviceGetMemoryInfo_v2(void* device, MemoryInfo2* info) {
  if (info->version != (sizeof *info | 2U << 24U)) return 25;
  info->total = 8ULL << 30U;
  info->used = told("used") && number(device) == 1 ? 700ULL << 20U : 0;
  return 0;
}
FAKE_API int nvmlDeviceGetNvLinkState(void*, unsigned link, int* active) {
  if (told("no-nvlink")) return 3;
  if (link >= 18) return 2;
  return *active = link != 17 ? 1 : 0, 0;
}
FAKE_API int nvmlDeviceGetNvLinkVersion(void*, unsigned, unsigned* version) { return give(version, 4); }
FAKE_API int nvmlDeviceGetNvLinkRemotePciInfo_v2(void*, unsigned, PciInfo* info) {
  std::memset(info, 0, sizeof *info);
  std::snprintf(info->address, sizeof info->address, "00000000:C0:00.0");
  return 0;
}
FAKE_API int nvmlDeviceGetNvLinkRemoteDeviceType(void*, unsigned, int* kind) { return *kind = 2, 0; }
FAKE_API int nvmlDeviceGetP2PStatus(void*, void*, int index, int* status) {
  const bool nothing = index == 4 || (index == 2 && told("no-nvlink"));
  *status = told("p2p-cns") && index == 0 ? 1 : nothing ? 5 : 0;
  return 0;
}
FAKE_API int nvmlDeviceGetTopologyCommonAncestor(void*, void*, int* level) { return *level = 40, 0; }
