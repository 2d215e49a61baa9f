#include "collective/nccl/abi.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace gpucoop::collective::nccl {

using runtime::Failure;
using runtime::Outcome;

namespace {

constexpr std::array<const char*, 2> kNames{"libnccl.so.2", "librccl.so.1"};

void* open_first(const std::string& path, std::string& why) {
  const auto open = [&why](const char* name) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* text = dlerror();
      why += fmt::format("{}{}", why.empty() ? "" : "; ", text != nullptr ? text : name);
    }
    return library;
  };
  if (!path.empty()) return open(path.c_str());
  for (const char* name : kNames)
    if (void* library = open(name)) return library;
  return nullptr;
}

std::string file_of(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return {};
  std::array<char, PATH_MAX> resolved{};
  return realpath(map->l_name, resolved.data()) != nullptr ? resolved.data() : map->l_name;
}

template <class Function>
void bind(void* library, const char* name, Function& to, std::string& missing) {
  to = reinterpret_cast<Function>(dlsym(library, name));
  if (to == nullptr && missing.empty()) missing = name;
}

std::string bind_all(void* library, Abi& a) {
  std::string missing;
  bind(library, "ncclGetVersion", a.get_version, missing);
  bind(library, "ncclGetUniqueId", a.get_unique_id, missing);
  bind(library, "ncclCommInitRankConfig", a.init, missing);
  bind(library, "ncclCommFinalize", a.finalize, missing);
  bind(library, "ncclCommDestroy", a.destroy, missing);
  bind(library, "ncclCommAbort", a.give_up, missing);
  bind(library, "ncclCommGetAsyncError", a.async_error, missing);
  bind(library, "ncclGetErrorString", a.error_string, missing);
  bind(library, "ncclGetLastError", a.last_error, missing);
  bind(library, "ncclAllReduce", a.all_reduce, missing);
  bind(library, "ncclReduce", a.reduce, missing);
  bind(library, "ncclBroadcast", a.broadcast, missing);
  bind(library, "ncclAllGather", a.all_gather, missing);
  bind(library, "ncclReduceScatter", a.reduce_scatter, missing);
  bind(library, "ncclSend", a.send, missing);
  bind(library, "ncclRecv", a.receive, missing);
  bind(library, "ncclGroupStart", a.group_start, missing);
  bind(library, "ncclGroupEnd", a.group_end, missing);
  return missing;
}

}  // namespace

Outcome<std::shared_ptr<const Abi>> Abi::load(const std::string& path) {
  std::string why;
  // Never closed: the library keeps threads of its own.
  void* library = open_first(path, why);
  if (library == nullptr) return Failure{ProbeState::skipped, why};
  auto abi = std::make_shared<Abi>();
  abi->info.path = file_of(library);
  const std::string missing = bind_all(library, *abi);
  // The version is worth telling where the rest is missing because the library is old.
  if (abi->get_version != nullptr) {
    const int code = abi->get_version(&abi->version);
    if (code != kSuccess)
      return Failure{ProbeState::failed, fmt::format("{}: ncclGetVersion: code {}", abi->info.path, code)};
    abi->info.version = version_text(abi->version);
  }
  // Only RCCL has collectives of variable size.
  abi->info.name = dlsym(library, "ncclAllToAllv") != nullptr ? "rccl" : "nccl";
  if (abi->get_version != nullptr && abi->version < kOldest)
    return Failure{ProbeState::refused, fmt::format("{}: version {}; gpucoop needs {} or newer", abi->info.path,
                                                    abi->info.version, version_text(kOldest))};
  if (!missing.empty())
    return Failure{ProbeState::refused, fmt::format("{}: has no {}: not NCCL or RCCL", abi->info.path, missing)};
  return std::shared_ptr<const Abi>(std::move(abi));
}

Failure Abi::failure(const char* function, int code, void* communicator) const {
  const char* text = error_string(code);
  Failure failure{code == kInvalidUsage ? ProbeState::refused : ProbeState::failed,
                  fmt::format("{}: {} ({})", function, text != nullptr ? text : "no text", code)};
  const char* last = last_error(communicator);
  if (last != nullptr && *last != '\0') {
    // A buffer of the library, which its threads may write at any time.
    constexpr std::size_t kMostText = 1024;
    std::string more(last, strnlen(last, kMostText));
    while (!more.empty() && (more.back() == '\n' || more.back() == ' ')) more.pop_back();
    failure.text += ": " + more;
  }
  return failure;
}

int number_of(DataType type) {
  switch (type) {
    case DataType::int8: return 0;
    case DataType::uint8: return 1;
    case DataType::int32: return 2;
    case DataType::uint32: return 3;
    case DataType::int64: return 4;
    case DataType::uint64: return 5;
    case DataType::float16: return 6;
    case DataType::float32: return 7;
    case DataType::float64: return 8;
    case DataType::bfloat16: return 9;
  }
  return -1;
}

int number_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum: return 0;
    case ReduceOp::prod: return 1;
    case ReduceOp::max: return 2;
    case ReduceOp::min: return 3;
    case ReduceOp::avg: return 4;
  }
  return -1;
}

std::string version_text(int version) {
  const int major = version < 10000 ? 1000 : 10000;
  return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
}

}  // namespace gpucoop::collective::nccl
