#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "cuda_checks.hpp"

namespace smoke {

using namespace gpucoop::runtime;
using namespace gpucoop::collective;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

bool exactly(int channel, void* to, std::size_t bytes) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const auto got = read(channel, at, bytes);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

struct Kit {
  Report& r;
  Device& d;
  Stream& s;
  Communicator& c;
  Buffer& x;
  Buffer& y;
  Buffer& host;
};

/// Element i of rank r's operand.
std::int32_t value(unsigned rank, std::uint64_t i) {
  return static_cast<std::int32_t>(i % 1000 + 1) * (rank == 0 ? 1 : 3);
}

bool fill(Kit& k, unsigned rank, std::uint64_t count) {
  std::vector<std::int32_t> all(count);
  for (std::uint64_t i = 0; i < count; ++i) all[i] = value(rank, i);
  std::memcpy(k.host.pointer(), all.data(), count * 4);
  if (!k.d.copy(k.s, k.x, 0, k.host, {0, count * 4})) return false;
  if (!k.s.wait(in(60))) return false;
  std::memset(k.host.pointer(), 0x7E, k.host.bytes());
  return k.d.copy(k.s, k.y, 0, k.host, {0, k.host.bytes()}).ok() && k.s.wait(in(60)).ok();
}

template <class Expected>
void expect(Kit& k, const std::string& what, const Outcome<>& put, std::uint64_t count, Expected expected) {
  if (!k.r.check(put, what)) return;
  if (!k.r.check(k.c.settle(k.s, in(60)), what + " settles")) return;
  if (!k.d.copy(k.s, k.host, 0, k.y, {0, count * 4}) || !k.s.wait(in(60))) {
    k.r.check(false, what, "its result cannot be copied");
    return;
  }
  std::vector<std::int32_t> seen(count);
  std::memcpy(seen.data(), k.host.pointer(), count * 4);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) wrong += seen[i] != expected(i) ? 1U : 0U;
  k.r.check(wrong == 0, what, fmt::format("{} of {} values wrong", wrong, count));
}

void check_values(Kit& k, Library& library, unsigned rank, std::uint64_t count) {
  const auto type = DataType::int32;
  const auto label = [&](const char* op) { return fmt::format("{} of {}", op, count); };
  const unsigned other = 1 - rank;
  if (!k.r.check(fill(k, rank, 2 * count), "fill")) return;
  expect(k, label("all_reduce sum"), k.c.all_reduce({&k.x, 0}, {&k.y, 0}, count, type, ReduceOp::sum, k.s), count,
         [](std::uint64_t i) { return value(0, i) + value(1, i); });
  expect(k, label("all_reduce max"), k.c.all_reduce({&k.x, 0}, {&k.y, 0}, count, type, ReduceOp::max, k.s), count,
         [](std::uint64_t i) { return value(1, i); });
  expect(k, label("broadcast from 1"), k.c.broadcast({&k.x, 0}, {&k.y, 0}, count, type, 1, k.s), count,
         [](std::uint64_t i) { return value(1, i); });
  expect(k, label("all_gather"), k.c.all_gather({&k.x, 0}, {&k.y, 0}, count, type, k.s), 2 * count,
         [count](std::uint64_t i) { return value(i < count ? 0 : 1, i % count); });
  expect(k, label("reduce_scatter sum"), k.c.reduce_scatter({&k.x, 0}, {&k.y, 0}, count, type, ReduceOp::sum, k.s),
         count, [&](std::uint64_t i) { return value(0, rank * count + i) + value(1, rank * count + i); });
  auto reduced = k.c.reduce({&k.x, 0}, {&k.y, 0}, count, type, ReduceOp::sum, 0, k.s);
  if (rank == 0)
    expect(k, label("reduce to 0"), reduced, count, [](std::uint64_t i) { return value(0, i) + value(1, i); });
  else
    k.r.check(reduced.ok() ? k.c.settle(k.s, in(60)) : reduced, label("reduce to 0"));
  Outcome<> put = library.group_start();
  if (put.ok()) put = k.c.send({&k.x, 0}, count, type, other, k.s);
  if (put.ok()) put = k.c.receive({&k.y, 0}, count, type, other, k.s);
  if (put.ok()) put = library.group_end(in(60));
  expect(k, label("send and receive"), put, count, [&](std::uint64_t i) { return value(other, i); });
}

void check_times(Kit& k, int channel, const char* how) {
  for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{1024}, std::uint64_t{65536}, kMiB, 128 * kMiB}) {
    if (takes_small(k.d) && bytes > 1024) continue;
    const unsigned times = bytes <= kMiB ? 200 : 20;
    const auto op = [&] {
      return k.c.all_reduce({&k.x, 0}, {&k.y, 0}, bytes / 4, DataType::float32, ReduceOp::sum, k.s);
    };
    if (!meet(channel)) return;
    static_cast<void>(k.d.timed(k.s, 5, op, in(60)));
    if (!meet(channel)) return;
    const auto begin = std::chrono::steady_clock::now();
    auto seconds = k.d.timed(k.s, times, op, in(60));
    const double host = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times;
    if (!k.r.check(seconds, "timed all_reduce")) return;
    const double each = seconds.value() / times;
    k.r.note(fmt::format("all_reduce {} B {}", bytes, how),
             fmt::format("{:.2f} us ({:.2f} by the host's clock), bus {:.2f} GB/s", each * 1e6, host * 1e6,
                         static_cast<double>(bytes) / each / 1e9));
    if (bytes > kMiB) continue;
    auto graph = k.d.record(k.s, [&]() -> Outcome<> {
      for (int i = 0; i < 20; ++i)
        if (auto put = op(); !put) return put;
      return Done{};
    });
    if (!k.r.check(graph, "record all_reduce in a graph")) return;
    const auto replay = [&] { return k.d.replay(k.s, *graph.value()); };
    if (!meet(channel)) return;
    static_cast<void>(k.d.timed(k.s, 2, replay, in(60)));
    if (!meet(channel)) return;
    seconds = k.d.timed(k.s, 10, replay, in(60));
    if (!k.r.check(seconds, "replayed all_reduce")) return;
    k.r.note(fmt::format("all_reduce {} B {} in a graph", bytes, how),
             fmt::format("{:.2f} us", seconds.value() / 200 * 1e6));
  }
}

void check_replay(Kit& k, unsigned rank) {
  const std::uint64_t count = 10007;
  if (!k.r.check(fill(k, rank, count), "fill")) return;
  auto graph = k.d.record(k.s, [&] {
    return k.c.all_reduce({&k.x, 0}, {&k.y, 0}, count, DataType::int32, ReduceOp::sum, k.s);
  });
  if (!k.r.check(graph, "record all_reduce")) return;
  expect(k, "replay of all_reduce", k.d.replay(k.s, *graph.value()), count,
         [](std::uint64_t i) { return value(0, i) + value(1, i); });
}

}  // namespace

bool tell(int channel, const std::string& bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  return send(channel, &size, sizeof size, MSG_NOSIGNAL) == sizeof size &&
         send(channel, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

bool hear(int channel, std::string& bytes) {
  std::uint32_t size = 0;
  if (!exactly(channel, &size, sizeof size) || size > 4096) return false;
  bytes.resize(size);
  return exactly(channel, bytes.data(), size);
}

bool meet(int channel) {
  std::string word;
  return tell(channel, "here") && hear(channel, word) && word == "here";
}

void check_ipc(Report& r, Device& d, unsigned rank, int channel) {
  const std::uint64_t bytes = 8 * kMiB + 4;
  auto made = d.make_stream();
  if (!r.check(made, "stream")) return;
  Stream& s = *made.value();
  std::string handle;
  if (rank == 1) {
    auto small = d.allocate(64);  // so that the next one is not the first of its block
    auto x = d.allocate(bytes);
    if (!r.check(x, "memory")) return;
    r.check(d.store(s, *x.value(), {0, bytes}, {2, 1}), "owner stores");
    r.check(s.wait(in(60)), "wait");
    auto given = d.export_buffer(*x.value());
    if (!r.check(given, "export_buffer") || !tell(channel, given.value())) return;
    if (!r.check(meet(channel), "the other has written")) return;
    auto m = d.verify(s, *x.value(), {0, bytes}, {1, 1}, {2, 1}, in(60));
    if (r.check(m, "owner verifies"))
      r.check(m.value().right(), "owner sees the other's words", fmt::format("{} wrong", m.value().wrong));
    static_cast<void>(meet(channel));
    return;
  }
  if (!r.check(hear(channel, handle), "handle came")) return;
  auto x = d.import_buffer(handle, bytes);
  if (!r.check(x, "import_buffer")) return;
  auto m = d.verify(s, *x.value(), {0, bytes}, {2, 1}, {1, 1}, in(60));
  if (r.check(m, "verify from here"))
    r.check(m.value().right(), "the owner's words are seen", fmt::format("{} wrong", m.value().wrong));
  r.check(d.store(s, *x.value(), {0, bytes}, {1, 1}), "store from here");
  r.check(s.wait(in(60)), "wait");
  static_cast<void>(meet(channel));
  static_cast<void>(meet(channel));
}

void check_collectives(Report& r, Device& d, Library& library, unsigned rank, int channel) {
  const LibraryInfo info = library.info();
  r.note("library", fmt::format("{} {} {}", info.name, info.version, info.path));
  std::vector<std::string> ids(2);
  for (std::string& id : ids) {
    if (rank == 0) {
      auto made = library.make_id();
      if (!r.check(made, "make_id")) return;
      id = made.value();
      if (!tell(channel, id)) return;
    } else if (!hear(channel, id)) {
      return static_cast<void>(r.check(false, "id came"));
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  auto joined = library.join(d, ids[0], 2, rank, in(60));
  if (!r.check(joined, "join")) return;
  r.note("join took",
         fmt::format("{:.3f} s", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
  auto second = library.join(d, ids[1], 2, rank, in(60));
  auto made = d.make_stream();
  auto made2 = d.make_stream();
  auto x = d.allocate(128 * kMiB);
  auto y = d.allocate(128 * kMiB);
  auto h = d.allocate_host(32 * kMiB);
  if (!r.check(second, "join a second one") || !r.check(made, "stream") || !r.check(made2, "stream") ||
      !r.check(x, "memory") || !r.check(y, "memory") || !r.check(h, "memory"))
    return;
  Kit k{r, d, *made.value(), *joined.value(), *x.value(), *y.value(), *h.value()};
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1003}, std::uint64_t{1} << 20U}) {
    if (!r.check(meet(channel), "both are here")) return;
    check_values(k, library, rank, count);
  }
  check_replay(k, rank);
  Kit k2{r, d, *made2.value(), *second.value(), *x.value(), *y.value(), *h.value()};
  check_values(k2, library, rank, 515);
  for (Communicator* c : {joined.value().get(), second.value().get()}) {
    std::string ways;
    for (const std::string& way : c->transports()) ways += "[" + way + "]";
    r.check(c->transports().at(1 - rank).size() > 0, "transport", ways);
  }
  check_times(k, channel, "");
  // Two communicators at once on two streams.
  bool good = true;
  for (int i = 0; i < 200 && good; ++i) {
    good = k.c.all_reduce({&k.x, 0}, {&k.y, 0}, 1000, DataType::int32, ReduceOp::sum, k.s).ok() &&
           k2.c.all_reduce({&k.x, kMiB}, {&k.y, kMiB}, 1000, DataType::int32, ReduceOp::sum, k2.s).ok();
  }
  good = good && k.c.settle(k.s, in(60)).ok() && k2.c.settle(k2.s, in(60)).ok();
  r.check(good, "two communicators at once");
  static_cast<void>(meet(channel));
  const auto end = std::chrono::steady_clock::now();
  r.check(second.value()->give_up(in(60)), "give_up");
  joined.value().reset();
  r.note("giving up and ending took",
         fmt::format("{:.3f} s", std::chrono::duration<double>(std::chrono::steady_clock::now() - end).count()));
  static_cast<void>(meet(channel));
}

}  // namespace smoke
