// The functions of libnccl.so.2 that gpucoop uses.
#include "nccl_fake.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace fake::nccl {

bool told(std::string_view word, int rank) {
  if (!fake::told("GPUCOOP_FAKE_NCCL", word)) return false;
  const char* only = std::getenv("GPUCOOP_FAKE_NCCL_RANK");
  return only == nullptr || rank < 0 || std::atoi(only) == rank;
}

namespace {

constexpr int kSuccess = 0;
constexpr int kUnhandled = 1;
constexpr int kInvalidArgument = 4;
constexpr int kInvalidUsage = 5;
constexpr int kRemote = 6;
constexpr int kInProgress = 7;

struct Id {
  std::int32_t pid;
  std::int32_t fd;
};

struct Work {
  Communicator* communicator;
  void* stream;
  std::function<void()> run;
  std::vector<Letter> letters;
};

thread_local unsigned group_depth = 0;
thread_local std::vector<Work> group;
// One for the process, as the real one.
std::atomic<const char*> last_error{""};

/// What runs on streams lives as long as the process: graphs replay it.
template <class T>
T& kept(T value) {
  static auto* mutex = new std::mutex;
  static auto* all = new std::list<T>;
  const std::lock_guard lock(*mutex);
  return all->emplace_back(std::move(value));
}

Communicator* new_communicator() { return kept(std::make_unique<Communicator>()).get(); }

void log_line(const std::string& text) {
  static std::FILE* file = [] {
    const char* name = std::getenv("NCCL_DEBUG_FILE");
    const char* level = std::getenv("NCCL_DEBUG");
    return name != nullptr && level != nullptr ? std::fopen(name, "w") : nullptr;
  }();
  if (file == nullptr) return;
  std::fprintf(file, "host:%d:%d [0] NCCL %s\n", getpid(), getpid(), text.c_str());
  std::fflush(file);
}

/// `text`: a constant.
int fail(int code, const char* text) {
  last_error = text;
  log_line(std::string("WARN ") + text);
  return code;
}

void connect(Communicator& c) {
  if (c.connected) return;
  c.connected = true;
  if (told("spam", c.rank)) {
    const char* text = std::getenv("GPUCOOP_FAKE_NCCL_SPAM");
    const std::string line(1023, 'x');
    for (long i = 0; i < (text != nullptr ? std::atol(text) : 16) * 1024; ++i) log_line("INFO " + line);
  }
  const auto off = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && std::string_view(value) == "1";
  };
  const bool p2p = !off("NCCL_P2P_DISABLE");
  const bool shm = !off("NCCL_SHM_DISABLE");
  for (int peer = 0; peer < c.size; ++peer) {
    if (peer == c.rank) continue;
    char line[160];
    std::snprintf(line, sizeof line, "INFO Channel 00/0 : %d[%d] -> %d[%d]%s via %s", c.rank, c.rank, peer, peer,
                  p2p || shm ? "" : " [send]",
                  p2p   ? "P2P/CUMEM/read"
                  : shm ? "SHM/direct/direct"
                        : "NET/Socket/0");
    log_line(line);
  }
}

/// What a process has put on streams and what has not ended, whatever its communicator.
struct Traffic {
  std::mutex mutex;
  const Communicator* last = nullptr;
  int open = 0;

  /// Whether something of another communicator is under way.
  bool put(const Communicator& c) {
    const std::lock_guard lock(mutex);
    const bool crossed = open > 0 && last != &c;
    last = &c;
    ++open;
    return crossed;
  }
  void ended() {
    const std::lock_guard lock(mutex);
    if (open > 0) --open;  // a graph ends more often than it was put
  }
};
Traffic& traffic() {
  static auto* one = new Traffic;
  return *one;
}

int launch(const Work& work) {
  using Launch = int (*)(void*, void (*)(void*), void*);
  static const auto put = [] {
    void* cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return cuda != nullptr ? reinterpret_cast<Launch>(dlsym(cuda, "cuLaunchHostFunc")) : nullptr;
  }();
  if (put == nullptr) return fail(kUnhandled, "Cuda failure 'no simulated CUDA'");
  Communicator& c = *work.communicator;
  if (told("op-crash", c.rank)) fake::crash();
  connect(c);
  // As since 2.22: the first collective operation needs all ranks before it is on the stream.
  if (work.run && !c.connecting) {
    c.connecting = true;
    ++c.shared->connected;
    while (c.blocking && c.shared->connected < c.size && !c.given_up)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const bool stuck = traffic().put(c) && told("crossed", c.rank);
  auto& task = kept(std::function<void()>([work, stuck] {
    Communicator& mine = *work.communicator;
    if (told("op-late-error", mine.rank)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // later than the call that put it there
      fail(kRemote, "socketPollConnect: connect to 127.0.0.1<40001> returned Connection refused");
      mine.state = kRemote;
    }
    if (stuck || told("op-hang", mine.rank) || told("op-late-error", mine.rank)) {
      while (!mine.given_up) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return;
    }
    if (mine.given_up) return;
    if (work.run) work.run();
    if (!work.letters.empty()) exchange(mine, work.letters);
    // Long enough for the next operation to be put there meanwhile.
    if (told("crossed", mine.rank)) std::this_thread::sleep_for(std::chrono::microseconds(500));
    traffic().ended();
  }));
  return put(
             work.stream, [](void* what) { (*static_cast<std::function<void()>*>(what))(); }, &task) == 0
             ? kSuccess
             : fail(kUnhandled, "Cuda failure 'invalid argument'");
}

/// As a communicator that does not block answers: in progress, for two looks.
int begun(Communicator& c, int code) {
  if (code != kSuccess || c.blocking) return code;
  c.polls_left = 2;
  return kInProgress;
}

int submit(Work work) {
  Communicator& c = *work.communicator;
  if (c.given_up) return fail(kInvalidArgument, "communicator was aborted");
  if (c.polls_left > 0)
    return fail(kInvalidUsage, "Attempt to use communicator before the previous operation returned");
  if (told("op-refuse", c.rank))
    return fail(kUnhandled, "Cuda failure 'the operation cannot be performed in the present state'");
  if (group_depth > 0) {
    for (Work& open : group)
      if (open.communicator == &c && open.stream == work.stream && !work.letters.empty() && !open.letters.empty()) {
        open.letters.push_back(work.letters.front());
        return kSuccess;
      }
    group.push_back(std::move(work));
    return kSuccess;
  }
  return begun(c, launch(work));
}

Communicator* as_communicator(void* handle) { return static_cast<Communicator*>(handle); }

__attribute__((constructor)) void loaded() {
  if (told("load-hang", -1)) fake::hang();
  if (told("load-crash", -1)) fake::crash();
}

}  // namespace
}  // namespace fake::nccl

using namespace fake::nccl;

struct UniqueId {
  char bytes[128];
};
struct Config {
  std::size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
};

FAKE_API int ncclGetVersion(int* version) {
  *version = told("version-old", -1) ? 21701 : 22809;
  return kSuccess;
}
FAKE_API int ncclGetUniqueId(UniqueId* id) {
  if (told("id-hang", -1)) fake::hang();
  const int fd = memfd_create("fake-nccl", 0);
  if (fd < 0 || ftruncate(fd, sizeof(Shared)) != 0) return fail(2, "no shared memory");
  const Id made{getpid(), fd};
  std::memset(id, 0, sizeof *id);
  std::memcpy(id->bytes, &made, sizeof made);
  return kSuccess;
}
FAKE_API int ncclCommInitRankConfig(void** communicator, int ranks, UniqueId id, int rank, const Config* config) {
  *communicator = nullptr;
  if (config->magic != 0xcafebeef || config->size < 20 || config->version == 0)
    return fail(kInvalidArgument, "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER");
  if (told("init-crash", rank)) fake::crash();
  if (told("init-block", rank)) fake::hang();
  if (told("init-refuse", rank))
    return fail(kInvalidUsage, "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device a0000");
  if (ranks < 1 || ranks > kMostRanks || rank < 0 || rank >= ranks) return fail(kInvalidArgument, "Invalid rank");
  Id made;
  std::memcpy(&made, id.bytes, sizeof made);
  const std::string path = "/proc/" + std::to_string(made.pid) + "/fd/" + std::to_string(made.fd);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return fail(2, "the root is not there");
  void* start = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (start == MAP_FAILED) return fail(2, "no shared memory");
  Communicator* c = new_communicator();
  c->size = ranks;
  c->rank = rank;
  c->blocking = config->blocking != 0;
  c->shared = static_cast<Shared*>(start);
  *communicator = c;
  ++c->shared->joined;
  if (!c->blocking) {
    c->state = kInProgress;
    return kInProgress;
  }
  while (c->shared->joined < ranks) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return kSuccess;
}
FAKE_API int ncclCommGetAsyncError(void* communicator, int* result) {
  Communicator& c = *as_communicator(communicator);
  if (c.state == kInProgress && c.shared->joined >= c.size && !told("init-hang", c.rank)) c.state = kSuccess;
  *result = c.state;
  if (*result == kSuccess && c.connecting && c.shared->connected < c.size) *result = kInProgress;
  if (*result == kSuccess && c.polls_left > 0) {
    --c.polls_left;
    *result = kInProgress;
  }
  return kSuccess;
}
FAKE_API int ncclCommFinalize(void* communicator) { return begun(*as_communicator(communicator), kSuccess); }
FAKE_API int ncclCommDestroy(void* communicator) {
  as_communicator(communicator)->given_up = true;
  return kSuccess;
}
FAKE_API int ncclCommAbort(void* communicator) {
  if (told("abort-hang", as_communicator(communicator)->rank)) fake::hang();
  as_communicator(communicator)->given_up = true;
  return kSuccess;
}
FAKE_API const char* ncclGetErrorString(int code) {
  switch (code) {
    case 0: return "no error";
    case 1: return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case 2: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case 4: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case 5: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case 6: return "remote process exited or there was a network error";
    case 7: return "NCCL operation in progress";
    default: return "unknown result code";
  }
}
FAKE_API const char* ncclGetLastError(void*) { return last_error; }
FAKE_API int ncclAllReduce(const void* s, void* r, std::size_t n, int type, int op, void* comm, void* stream) {
  Communicator* c = as_communicator(comm);
  return submit({c, stream, [=] { all_reduce(*c, s, r, n, type, op, -1); }, {}});
}
FAKE_API int ncclReduce(const void* s, void* r, std::size_t n, int type, int op, int root, void* comm, void* stream) {
  Communicator* c = as_communicator(comm);
  return submit({c, stream, [=] { all_reduce(*c, s, r, n, type, op, root); }, {}});
}
FAKE_API int ncclBroadcast(const void* s, void* r, std::size_t n, int type, int root, void* comm, void* stream) {
  Communicator* c = as_communicator(comm);
  return submit({c, stream, [=] { broadcast(*c, s, r, n, type, root); }, {}});
}
FAKE_API int ncclAllGather(const void* s, void* r, std::size_t n, int type, void* comm, void* stream) {
  Communicator* c = as_communicator(comm);
  return submit({c, stream, [=] { all_gather(*c, s, r, n, type); }, {}});
}
FAKE_API int ncclReduceScatter(const void* s, void* r, std::size_t n, int type, int op, void* comm, void* stream) {
  Communicator* c = as_communicator(comm);
  return submit({c, stream, [=] { reduce_scatter(*c, s, r, n, type, op); }, {}});
}
FAKE_API int ncclSend(const void* s, std::size_t n, int type, int peer, void* comm, void* stream) {
  auto* from = static_cast<unsigned char*>(const_cast<void*>(s));
  return submit({as_communicator(comm), stream, nullptr, {Letter{true, peer, from, n * size_of(type)}}});
}
FAKE_API int ncclRecv(void* r, std::size_t n, int type, int peer, void* comm, void* stream) {
  auto* to = static_cast<unsigned char*>(r);
  return submit({as_communicator(comm), stream, nullptr, {Letter{false, peer, to, n * size_of(type)}}});
}
FAKE_API int ncclGroupStart() {
  ++group_depth;
  return kSuccess;
}
FAKE_API int ncclGroupEnd() {
  if (group_depth == 0) return fail(kInvalidUsage, "ncclGroupEnd: not in a group call.");
  if (--group_depth > 0) return kSuccess;
  int result = kSuccess;
  for (const Work& work : std::exchange(group, {})) {
    const int code = begun(*work.communicator, launch(work));
    if (result == kSuccess || result == kInProgress) result = code;
  }
  return result;
}
