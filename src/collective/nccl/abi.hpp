#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "collective/collective.hpp"
#include "runtime/outcome.hpp"

namespace gpucoop::collective::nccl {

// One interface for NCCL and RCCL, declared by hand; a test compares it with nccl.h where that header is at hand.
struct UniqueId {
  char bytes[128];
};

enum Result : int {
  kSuccess = 0,
  kUnhandledDriver = 1,
  kSystem = 2,
  kInternal = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemote = 6,
  kInProgress = 7,
};

constexpr int kUndefined = INT_MIN;

/// The configuration of a communicator as version 2.30 has it. A library takes as much of it as it knows, and ignores
/// fields newer than `version`.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 0;
  int blocking = kUndefined;
  int cga_cluster_size = kUndefined;
  int min_ctas = kUndefined;
  int max_ctas = kUndefined;
  const char* net_name = nullptr;
  int split_share = kUndefined;
  int traffic_class = kUndefined;
  const char* comm_name = nullptr;
  int later[11] = {kUndefined, kUndefined, kUndefined, kUndefined, kUndefined, kUndefined,
                   kUndefined, kUndefined, kUndefined, kUndefined, kUndefined};
};
static_assert(offsetof(Config, blocking) == 16 && offsetof(Config, net_name) == 32 &&
              offsetof(Config, comm_name) == 48 && offsetof(Config, later) == 56);

/// 2.18 is the first whose communicators need not block from beginning to end.
constexpr int kOldest = 21800;

/// libnccl.so.2 or librccl.so.1, loaded.
struct Abi {
  /// Loads the library from `path`, or where that is empty the one that the loader finds by either name.
  [[nodiscard]] static runtime::Outcome<std::shared_ptr<const Abi>> load(const std::string& path);

  /// `ncclAllReduce: unhandled cuda error (1): …` with what the library remembers of its last error; `communicator` may
  /// be null.
  [[nodiscard]] runtime::Failure failure(const char* function, int code, void* communicator) const;

  int version = 0;  ///< 22809
  LibraryInfo info;

  int (*get_version)(int* version) = nullptr;
  int (*get_unique_id)(UniqueId* id) = nullptr;
  int (*init)(void** communicator, int ranks, UniqueId id, int rank, Config* config) = nullptr;
  int (*finalize)(void* communicator) = nullptr;
  int (*destroy)(void* communicator) = nullptr;
  int (*give_up)(void* communicator) = nullptr;
  int (*async_error)(void* communicator, int* result) = nullptr;
  const char* (*error_string)(int result) = nullptr;
  const char* (*last_error)(void* communicator) = nullptr;
  int (*all_reduce)(const void* send, void* receive, std::size_t count, int type, int op, void* communicator,
                    void* stream) = nullptr;
  int (*reduce)(const void* send, void* receive, std::size_t count, int type, int op, int root, void* communicator,
                void* stream) = nullptr;
  int (*broadcast)(const void* send, void* receive, std::size_t count, int type, int root, void* communicator,
                   void* stream) = nullptr;
  int (*all_gather)(const void* send, void* receive, std::size_t count, int type, void* communicator,
                    void* stream) = nullptr;
  int (*reduce_scatter)(const void* send, void* receive, std::size_t count, int type, int op, void* communicator,
                        void* stream) = nullptr;
  int (*send)(const void* send, std::size_t count, int type, int peer, void* communicator, void* stream) = nullptr;
  int (*receive)(void* receive, std::size_t count, int type, int peer, void* communicator, void* stream) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
};

/// The library's number for each.
[[nodiscard]] int number_of(DataType type);
[[nodiscard]] int number_of(ReduceOp op);
/// `2.28.9` of 22809 and `2.8.4` of 2804.
[[nodiscard]] std::string version_text(int version);

}  // namespace gpucoop::collective::nccl
