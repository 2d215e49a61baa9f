// The yardstick: a bare NCCL program that does the collectives of `gpucoop probe --collective` with the same sizes and
// checks, and nothing else. One process for each GPU, communicators that block, every element compared on the host, and
// rates by the method of nccl-tests (warm-up, all ranks start together, the host's clock around many operations).
// What both do: two communicators; all-reduce, broadcast, reduce, send and receive, all-gather, reduce-scatter,
// all-to-all, and the two of uneven pieces, each with 6 sizes of float32 up to 64 MiB, and those that reduce with 3 of
// bfloat16; a barrier; 4 all-reduces on each of two communicators at once; an all-reduce recorded and replayed 3 times;
// 6 sizes of all-reduce up to 128 MiB, first with checked values and then timed, up to 1 MiB from a graph as well.
// It shares no code with gpucoop, so that an error in one shows beside the other.
//
// It ends by itself: a rank that has been at one thing for --patience seconds is told, and all are ended.
//
// bare_nccl [--nccl LIBRARY] [--cuda LIBRARY] [--ranks N] [--most BYTES] [--only checks|rates] [--patience S]
#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using u64 = std::uint64_t;

constexpr u64 kKiB = 1024;
constexpr u64 kMiB = 1024 * kKiB;
constexpr u64 kGuard = 256;
constexpr int kMostRanks = 64;

struct Arguments {
  std::string nccl = "libnccl.so.2";
  std::string cuda = "libcuda.so.1";
  std::string only;
  int ranks = 2;
  u64 most = ~u64{0};
  double patience = 20;
};

struct Id {
  char bytes[128];
};

/// What the ranks share.
struct Page {
  std::atomic<int> arrived;
  std::atomic<unsigned> turn;
  std::atomic<unsigned> each;
  Id ids[2];
  std::atomic<long> operations, wrong;
  double checks_s, rates_s;
  /// What each rank does now: texts of the program, which lie at the same place in all ranks.
  std::atomic<const char*> doing[kMostRanks];
  std::atomic<unsigned> steps[kMostRanks];
};

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

[[noreturn]] void fail(const char* what, long code) {
  std::printf("FAIL %s: %ld\n", what, code);
  std::fflush(stdout);
  _exit(1);
}

template <class Function>
void bind(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(dlsym(library, name));
  if (to == nullptr) fail(name, -1);
}

void* open(const std::string& name) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::printf("FAIL %s\n", dlerror());
    std::exit(1);
  }
  return library;
}

struct Cuda {
  int (*init)(unsigned);
  int (*device)(int*, int);
  int (*retain)(void**, int);
  int (*current)(void*);
  int (*allocate)(u64*, std::size_t);
  int (*allocate_host)(void**, std::size_t, unsigned);
  int (*copy)(u64, u64, std::size_t, void*);
  int (*make_stream)(void**, unsigned);
  int (*query)(void*);
  int (*begin_capture)(void*, int);
  int (*end_capture)(void*, void**);
  int (*instantiate)(void**, void*, unsigned long long);
  int (*launch)(void*, void*);
  int (*destroy_graph)(void*);
  int (*destroy_exec)(void*);

  explicit Cuda(const std::string& name) {
    void* l = open(name);
    bind(l, "cuInit", init);
    bind(l, "cuDeviceGet", device);
    bind(l, "cuDevicePrimaryCtxRetain", retain);
    bind(l, "cuCtxSetCurrent", current);
    bind(l, "cuMemAlloc_v2", allocate);
    bind(l, "cuMemHostAlloc", allocate_host);
    bind(l, "cuMemcpyAsync", copy);
    bind(l, "cuStreamCreate", make_stream);
    bind(l, "cuStreamQuery", query);
    bind(l, "cuStreamBeginCapture_v2", begin_capture);
    bind(l, "cuStreamEndCapture", end_capture);
    bind(l, "cuGraphInstantiateWithFlags", instantiate);
    bind(l, "cuGraphLaunch", launch);
    bind(l, "cuGraphDestroy", destroy_graph);
    bind(l, "cuGraphExecDestroy", destroy_exec);
  }
};

struct Config {
  std::size_t size = 56;
  unsigned magic = 0xcafebeef;
  unsigned version = 21800;
  int blocking = 1;
  int undefined[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
  const char* net = nullptr;
  int more[4] = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
};

struct Nccl {
  int (*get_id)(Id*);
  int (*init)(void**, int, Id, int, Config*);
  int (*destroy)(void*);
  int (*all_reduce)(const void*, void*, std::size_t, int, int, void*, void*);
  int (*reduce)(const void*, void*, std::size_t, int, int, int, void*, void*);
  int (*broadcast)(const void*, void*, std::size_t, int, int, void*, void*);
  int (*all_gather)(const void*, void*, std::size_t, int, void*, void*);
  int (*reduce_scatter)(const void*, void*, std::size_t, int, int, void*, void*);
  int (*send)(const void*, std::size_t, int, int, void*, void*);
  int (*receive)(void*, std::size_t, int, int, void*, void*);
  int (*group_start)();
  int (*group_end)();

  explicit Nccl(const std::string& name) {
    void* l = open(name);
    bind(l, "ncclGetUniqueId", get_id);
    bind(l, "ncclCommInitRankConfig", init);
    bind(l, "ncclCommDestroy", destroy);
    bind(l, "ncclAllReduce", all_reduce);
    bind(l, "ncclReduce", reduce);
    bind(l, "ncclBroadcast", broadcast);
    bind(l, "ncclAllGather", all_gather);
    bind(l, "ncclReduceScatter", reduce_scatter);
    bind(l, "ncclSend", send);
    bind(l, "ncclRecv", receive);
    bind(l, "ncclGroupStart", group_start);
    bind(l, "ncclGroupEnd", group_end);
  }
};

void ok(const char* what, int code) {
  if (code != 0) fail(what, code);
}

enum class Op {
  all_reduce,
  broadcast,
  reduce,
  send_recv,
  all_gather,
  reduce_scatter,
  all_to_all,
  all_gatherv,
  reduce_scatterv
};
constexpr const char* kNames[] = {"all_reduce",     "broadcast",  "reduce",      "send_recv",      "all_gather",
                                  "reduce_scatter", "all_to_all", "all_gatherv", "reduce_scatterv"};

enum Type { kFloat = 7, kBfloat = 9 };

/// Small whole numbers, whose sums are exact in both types.
unsigned value(unsigned rank, u64 i) { return static_cast<unsigned>(((i + rank * 77U) * 2654435761U) >> 13U) & 63U; }

template <class T>
T encoded(unsigned number) {
  const auto as_float = static_cast<float>(number);
  if constexpr (sizeof(T) == 4) return as_float;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &as_float, 4);
  return static_cast<T>(bits >> 16U);
}

struct Lane {
  void* comm = nullptr;
  void* stream = nullptr;
  u64 send = 0, receive = 0;
  char* send_image = nullptr;
  char* receive_image = nullptr;
};

struct Rank {
  const Arguments& arguments;
  Page& page;
  Cuda cuda;
  Nccl nccl;
  unsigned rank;
  unsigned size;
  Lane lanes[2];

  Rank(const Arguments& a, Page& p, unsigned r)
      : arguments(a), page(p), cuda(a.cuda), nccl(a.nccl), rank(r), size(static_cast<unsigned>(a.ranks)) {}

  void doing(const char* what) const {
    page.doing[rank] = what;
    ++page.steps[rank];
  }
  void meet() const {
    const unsigned turn = page.turn;
    if (page.arrived.fetch_add(1) + 1 == static_cast<int>(size)) {
      page.arrived = 0;
      ++page.turn;
      return;
    }
    while (page.turn == turn) sched_yield();
  }
  void wait(const Lane& lane) const {
    for (int code = 600; code == 600;) {
      code = cuda.query(lane.stream);
      if (code != 0 && code != 600) fail("cuStreamQuery", code);
      if (code == 600) sched_yield();
    }
  }

  void start() {
    doing("cuInit and the context");
    ok("cuInit", cuda.init(0));
    int device = 0;
    void* context = nullptr;
    ok("cuDeviceGet", cuda.device(&device, static_cast<int>(rank)));
    ok("cuDevicePrimaryCtxRetain", cuda.retain(&context, device));
    ok("cuCtxSetCurrent", cuda.current(context));
    doing("ncclGetUniqueId");
    if (rank == 0)
      for (Id& id : page.ids) ok("ncclGetUniqueId", nccl.get_id(&id));
    doing("waiting for the ids");
    meet();
    for (int i = 0; i < 2; ++i) {
      doing(i == 0 ? "ncclCommInitRankConfig (first)" : "ncclCommInitRankConfig (second)");
      Lane& lane = lanes[i];
      const u64 bytes = std::min(arguments.most, i == 0 ? 128 * kMiB : 2 * kMiB) + 64 * kKiB;
      Config config;
      ok("ncclCommInitRankConfig",
         nccl.init(&lane.comm, static_cast<int>(size), page.ids[i], static_cast<int>(rank), &config));
      ok("cuStreamCreate", cuda.make_stream(&lane.stream, 1));
      ok("cuMemAlloc", cuda.allocate(&lane.send, bytes));
      ok("cuMemAlloc", cuda.allocate(&lane.receive, bytes));
      const u64 images = bytes;
      void* host = nullptr;
      ok("cuMemHostAlloc", cuda.allocate_host(&host, images, 3));
      lane.send_image = static_cast<char*>(host);
      ok("cuMemHostAlloc", cuda.allocate_host(&host, images, 3));
      lane.receive_image = static_cast<char*>(host);
    }
  }

  [[nodiscard]] u64 block(u64 each, unsigned of) const { return of % 3 == 0 ? each : of % 3 == 1 ? each / 2 + 1 : 0; }
  [[nodiscard]] u64 before(u64 each, unsigned of) const {
    u64 sum = 0;
    for (unsigned i = 0; i < of; ++i) sum += block(each, i);
    return sum;
  }

  void put(const Lane& l, Op op, Type type, u64 count, u64 element) const {
    const auto* from = reinterpret_cast<const char*>(l.send);
    auto* to = reinterpret_cast<char*>(l.receive) + kGuard;
    const int next = static_cast<int>((rank + 1) % size);
    const int last = static_cast<int>((rank + size - 1) % size);
    switch (op) {
      case Op::all_reduce: return ok("all_reduce", nccl.all_reduce(from, to, count, type, 0, l.comm, l.stream));
      case Op::broadcast: return ok("broadcast", nccl.broadcast(from, to, count, type, 0, l.comm, l.stream));
      case Op::reduce: return ok("reduce", nccl.reduce(from, to, count, type, 0, 0, l.comm, l.stream));
      case Op::all_gather: return ok("all_gather", nccl.all_gather(from, to, count, type, l.comm, l.stream));
      case Op::reduce_scatter:
        return ok("reduce_scatter", nccl.reduce_scatter(from, to, count, type, 0, l.comm, l.stream));
      default: break;
    }
    ok("ncclGroupStart", nccl.group_start());
    if (op == Op::send_recv) {
      ok("send", nccl.send(from, count, type, next, l.comm, l.stream));
      ok("receive", nccl.receive(to, count, type, last, l.comm, l.stream));
    }
    for (unsigned i = 0; op != Op::send_recv && i < size; ++i) {
      const int peer = static_cast<int>(i);
      const u64 at = element * (op == Op::all_to_all ? count * i : before(count, i));
      if (op == Op::all_to_all) {
        ok("send", nccl.send(from + at, count, type, peer, l.comm, l.stream));
        ok("receive", nccl.receive(to + at, count, type, peer, l.comm, l.stream));
      } else if (op == Op::all_gatherv && block(count, i) > 0) {
        ok("broadcast", nccl.broadcast(from, to + at, block(count, i), type, peer, l.comm, l.stream));
      } else if (op == Op::reduce_scatterv && block(count, i) > 0) {
        ok("reduce", nccl.reduce(from + at, to, block(count, i), type, 0, peer, l.comm, l.stream));
      }
    }
    ok("ncclGroupEnd", nccl.group_end());
  }

  struct Amounts {
    u64 count, sent, received;
  };
  [[nodiscard]] Amounts amounts(Op op, u64 elements) const {
    const u64 each = std::max<u64>(1, elements / size);
    const u64 whole = std::max<u64>(1, elements);
    switch (op) {
      case Op::all_gather: return {each, each, each * size};
      case Op::reduce_scatter: return {each, each * size, each};
      case Op::all_to_all: return {each, each * size, each * size};
      case Op::all_gatherv: return {each, block(each, rank), before(each, size)};
      case Op::reduce_scatterv: return {each, before(each, size), block(each, rank)};
      case Op::reduce: return {whole, whole, rank == 0 ? whole : 0};
      default: return {whole, whole, whole};
    }
  }

  template <class T>
  void prepare(const Lane& l, const Amounts& a) const {
    auto* send = reinterpret_cast<T*>(l.send_image);
    for (u64 i = 0; i < a.sent; ++i) send[i] = encoded<T>(value(rank, i));
    const u64 bytes = a.received * sizeof(T) + 2 * kGuard;
    std::memset(l.receive_image, 0x5A, bytes);
    ok("copy", cuda.copy(l.send, reinterpret_cast<u64>(l.send_image), a.sent * sizeof(T), l.stream));
    ok("copy", cuda.copy(l.receive, reinterpret_cast<u64>(l.receive_image), bytes, l.stream));
  }
  template <class T>
  void fetch(const Lane& l, const Amounts& a) const {
    const u64 bytes = a.received * sizeof(T) + 2 * kGuard;
    ok("copy", cuda.copy(reinterpret_cast<u64>(l.receive_image), l.receive, bytes, l.stream));
  }
  template <class T>
  void compare(const Lane& l, Op op, const Amounts& a) const {
    const auto* seen = reinterpret_cast<const T*>(l.receive_image + kGuard);
    long wrong = 0;
    const auto look = [&](u64 first, u64 count, auto expected) {
      for (u64 i = 0; i < count; ++i) wrong += seen[first + i] != encoded<T>(expected(i)) ? 1 : 0;
    };
    const auto sum = [&](u64 i) {
      unsigned all = 0;
      for (unsigned r = 0; r < size; ++r) all += value(r, i);
      return all;
    };
    switch (op) {
      case Op::all_reduce:
      case Op::reduce: look(0, a.received, sum); break;
      case Op::reduce_scatter: look(0, a.received, [&](u64 i) { return sum(rank * a.count + i); }); break;
      case Op::reduce_scatterv: look(0, a.received, [&](u64 i) { return sum(before(a.count, rank) + i); }); break;
      case Op::broadcast: look(0, a.received, [&](u64 i) { return value(0, i); }); break;
      case Op::send_recv: look(0, a.received, [&](u64 i) { return value((rank + size - 1) % size, i); }); break;
      case Op::all_gather:
        for (unsigned r = 0; r < size; ++r) look(r * a.count, a.count, [&](u64 i) { return value(r, i); });
        break;
      case Op::all_to_all:
        for (unsigned r = 0; r < size; ++r)
          look(r * a.count, a.count, [&](u64 i) { return value(r, rank * a.count + i); });
        break;
      case Op::all_gatherv:
        for (unsigned r = 0; r < size; ++r)
          look(before(a.count, r), block(a.count, r), [&](u64 i) { return value(r, i); });
        break;
    }
    for (u64 i = 0; i < kGuard; ++i) {
      wrong += l.receive_image[i] != 0x5A ? 1 : 0;
      wrong += l.receive_image[kGuard + a.received * sizeof(T) + i] != 0x5A ? 1 : 0;
    }
    ++page.operations;
    page.wrong += wrong;
    if (wrong != 0)
      std::printf("WRONG %s rank %u: %ld of %llu\n", kNames[static_cast<int>(op)], rank, wrong,
                  static_cast<unsigned long long>(a.received));
  }

  template <class T>
  void check(Op op, Type type, const std::vector<u64>& sizes) const {
    const Lane& l = lanes[0];
    for (const u64 bytes : sizes) {
      if (bytes > arguments.most) continue;
      const Amounts a = amounts(op, bytes / sizeof(T));
      doing(kNames[static_cast<int>(op)]);
      prepare<T>(l, a);
      put(l, op, type, a.count, sizeof(T));
      fetch<T>(l, a);
      wait(l);
      compare<T>(l, op, a);
    }
  }

  void check_all() const {
    const std::vector<u64> whole = {4, 4 * 257, 10 * kKiB, 64 * kKiB, kMiB + 4, 64 * kMiB};
    const std::vector<u64> some = {8 * 3, 10 * kKiB, kMiB + 8};
    for (int i = 0; i < 9; ++i) {
      const Op op = static_cast<Op>(i);
      const auto begin = Clock::now();
      check<float>(op, kFloat, whole);
      if (op == Op::all_reduce || op == Op::reduce || op == Op::reduce_scatter || op == Op::reduce_scatterv)
        check<std::uint16_t>(op, kBfloat, some);
      if (rank == 0) std::printf("checked %-16s %.3f s\n", kNames[i], since(begin));
    }
    check<float>(Op::all_reduce, kFloat, {4});  // the barrier
    doing("two communicators at once");
    const Amounts a[2] = {amounts(Op::all_reduce, 1), amounts(Op::all_reduce, std::min(arguments.most, kMiB + 4) / 4)};
    for (int i = 0; i < 2; ++i) prepare<float>(lanes[i], a[i]);
    for (int i = 0; i < 8; ++i) put(lanes[i % 2], Op::all_reduce, kFloat, a[i % 2].count, 4);
    for (int i = 0; i < 2; ++i) fetch<float>(lanes[i], a[i]);
    for (int i = 0; i < 2; ++i) wait(lanes[i]);
    for (int i = 0; i < 2; ++i) compare<float>(lanes[i], Op::all_reduce, a[i]);
    check<float>(Op::all_reduce, kFloat, {std::min(arguments.most, 64 * kKiB)});
    doing("all_reduce from a graph");
    const Amounts g = amounts(Op::all_reduce, std::min(arguments.most, 64 * kKiB) / 4);
    const Graph graph = record(1, g.count);
    for (int i = 0; i < 3; ++i) {
      prepare<float>(lanes[0], g);
      ok("cuGraphLaunch", cuda.launch(graph.exec, lanes[0].stream));
      fetch<float>(lanes[0], g);
      wait(lanes[0]);
      compare<float>(lanes[0], Op::all_reduce, g);
    }
    forget(graph);
  }

  struct Graph {
    void* graph = nullptr;
    void* exec = nullptr;
  };
  [[nodiscard]] Graph record(int times, u64 count) const {
    Graph made;
    auto& [graph, exec] = made;
    ok("cuStreamBeginCapture", cuda.begin_capture(lanes[0].stream, 1));
    for (int i = 0; i < times; ++i) put(lanes[0], Op::all_reduce, kFloat, count, 4);
    ok("cuStreamEndCapture", cuda.end_capture(lanes[0].stream, &graph));
    ok("cuGraphInstantiate", cuda.instantiate(&exec, graph, 0));
    return made;
  }
  /// ncclCommDestroy waits until no graph has operations of the communicator any more.
  void forget(const Graph& graph) const {
    ok("cuGraphExecDestroy", cuda.destroy_exec(graph.exec));
    ok("cuGraphDestroy", cuda.destroy_graph(graph.graph));
  }

  [[nodiscard]] double median_of(int samples, unsigned each, const std::function<void()>& once) const {
    constexpr int kWarm = 5;
    std::vector<double> all;
    for (int i = 0; i < kWarm + samples; ++i) {
      doing("rates");
      meet();
      const auto begin = Clock::now();
      for (unsigned j = 0; j < each; ++j) once();
      wait(lanes[0]);
      if (i >= kWarm) all.push_back(since(begin) / each);
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }

  void rates() const {
    for (const u64 bytes : {u64{8}, 10 * kKiB, 64 * kKiB, kMiB, 32 * kMiB, 128 * kMiB}) {
      if (bytes > arguments.most) continue;
      // A rate of wrong data is none.
      check<float>(Op::all_reduce, kFloat, {bytes});
      const auto once = [&] { put(lanes[0], Op::all_reduce, kFloat, bytes / 4, 4); };
      const double first = median_of(3, 5, once);
      if (rank == 0) page.each = static_cast<unsigned>(std::clamp(3e-3 / first, 5.0, 200.0));
      meet();
      const unsigned each = page.each;
      const double seconds = median_of(20, each, once);
      const double bus = 2.0 * (size - 1) / size * static_cast<double>(bytes) / seconds / 1e9;
      if (rank == 0)
        std::printf("rate all_reduce %10llu B %10.2f us  bus %7.2f GB/s  (%u each, 20 samples)\n",
                    static_cast<unsigned long long>(bytes), seconds * 1e6, bus, each);
      if (bytes > kMiB) continue;
      const Graph graph = record(20, bytes / 4);
      const double replayed =
          median_of(5, std::max(1U, each / 20), [&] { ok("cuGraphLaunch", cuda.launch(graph.exec, lanes[0].stream)); });
      forget(graph);
      if (rank == 0)
        std::printf("rate all_reduce %10llu B %10.2f us  replayed from a graph\n",
                    static_cast<unsigned long long>(bytes), replayed / 20 * 1e6);
    }
  }

  void all() {
    const auto born = Clock::now();
    start();
    if (rank == 0) std::printf("  %.3f s to start, with two communicators and all memory\n", since(born));
    auto begin = Clock::now();
    if (arguments.only != "rates") check_all();
    meet();
    if (rank == 0) page.checks_s = since(begin);
    begin = Clock::now();
    if (arguments.only != "checks") rates();
    meet();
    if (rank == 0) page.rates_s = since(begin);
    doing("ncclCommDestroy");
    begin = Clock::now();
    for (const Lane& lane : lanes) ok("ncclCommDestroy", nccl.destroy(lane.comm));
    if (rank == 0) std::printf("  %.3f s to end two communicators\n", since(begin));
  }
};

Arguments parse(int count, char** words) {
  Arguments out;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = words[i];
    if (name == "--nccl") out.nccl = words[i + 1];
    if (name == "--cuda") out.cuda = words[i + 1];
    if (name == "--only") out.only = words[i + 1];
    if (name == "--ranks") out.ranks = std::atoi(words[i + 1]);
    if (name == "--patience") out.patience = std::atof(words[i + 1]);
    if (name == "--most") out.most = std::strtoull(words[i + 1], nullptr, 10);
  }
  out.ranks = std::clamp(out.ranks, 1, kMostRanks);
  return out;
}

/// Waits for all ranks. How many did not end well: where one does not, or does not get on, all are ended.
int watch(const Page& page, const std::vector<pid_t>& children, double patience) {
  std::vector<unsigned> seen(children.size(), 0);
  std::vector<Clock::time_point> moved(children.size(), Clock::now());
  std::vector<bool> there(children.size(), true);
  const auto end_all = [&] {
    for (std::size_t i = 0; i < children.size(); ++i)
      if (there[i]) kill(children[i], SIGKILL);
  };
  int failed = 0;
  auto left = children.size();
  Clock::time_point ended{};
  while (left > 0) {
    usleep(1000);
    for (std::size_t i = 0; i < children.size(); ++i) {
      int status = 0;
      if (!there[i]) continue;
      if (waitpid(children[i], &status, WNOHANG) == children[i]) {
        there[i] = false;
        --left;
        if (status == 0) continue;
        if (failed++ == 0) {
          const char* what = page.doing[i];
          std::printf("FAIL rank %zu ended with status 0x%x during: %s\n", i, static_cast<unsigned>(status),
                      what == nullptr ? "loading" : what);
          ended = Clock::now();
          end_all();
        }
        continue;
      }
      if (page.steps[i] != seen[i]) moved[i] = Clock::now();
      seen[i] = page.steps[i];
    }
    if (failed > 0) {
      // What the kernel cannot end is left to it.
      if (since(ended) > 5) return failed;
      continue;
    }
    bool stuck = false;
    for (std::size_t i = 0; i < children.size(); ++i) stuck = stuck || (there[i] && since(moved[i]) > patience);
    if (!stuck) continue;
    for (std::size_t i = 0; i < children.size(); ++i) {
      const char* what = page.doing[i];
      std::printf("FAIL rank %zu %s %.0f s in: %s\n", i, there[i] ? "has been for" : "had ended, last", since(moved[i]),
                  what == nullptr ? "loading" : what);
    }
    ++failed;
    ended = Clock::now();
    end_all();
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  const auto begin = Clock::now();
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const Arguments arguments = parse(argc, argv);
  // Stay on this host, as the probe does.
  setenv("NCCL_SOCKET_IFNAME", "=lo", 0);
  setenv("NCCL_IB_DISABLE", "1", 0);
  setenv("NCCL_RAS_ENABLE", "0", 0);
  void* shared = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("mmap", 0);
  auto& page = *static_cast<Page*>(shared);
  std::vector<pid_t> children;
  for (int rank = 0; rank < arguments.ranks; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      Rank(arguments, page, static_cast<unsigned>(rank)).all();
      std::fflush(stdout);
      _exit(0);
    }
    children.push_back(child);
  }
  const int failed = watch(page, children, arguments.patience);
  std::printf("%s: %ld operations checked, %ld values wrong; checks %.3f s, rates %.3f s, wall %.3f s\n",
              failed == 0 && page.wrong == 0 ? "all good" : "NOT all good", page.operations.load(), page.wrong.load(),
              page.checks_s, page.rates_s, since(begin));
  return failed == 0 && page.wrong == 0 ? 0 : 1;
}
