#include <cstring>
#include <thread>
#include <vector>

#include "cuda_checks.hpp"
#include "runtime/cuda/device.hpp"

namespace smoke {

using namespace gpucoop::runtime;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

std::string words_of(const Mismatch& m) {
  return fmt::format("checked {} wrong {} lost {} stale {} shifted {} ones {} zero {} first {} {:#x}/{:#x}", m.checked,
                     m.wrong, m.lost, m.stale, m.shifted, m.all_ones, m.zero, m.first_offset, m.first_expected,
                     m.first_found);
}

void check_patterns(Report& r, Device& d, Stream& s) {
  const std::uint64_t bytes = kMiB + 12;
  const std::uint64_t words = bytes / 4;
  auto a = d.allocate(bytes);
  auto b = d.allocate(bytes);
  auto h = d.allocate_host(bytes);
  if (!r.check(a, "allocate") || !r.check(b, "allocate") || !r.check(h, "allocate_host")) return;
  Buffer& x = *a.value();
  Buffer& y = *b.value();
  Buffer& host = *h.value();
  const Pattern now{11, 7};
  const Pattern before{12, 1};
  r.check(d.store(s, x, {0, bytes}, now), "store");
  r.check(d.copy(s, host, 0, x, {0, bytes}), "copy to host");
  r.check(s.wait(in(60)), "wait");
  std::vector<std::uint32_t> seen(words);
  std::memcpy(seen.data(), host.pointer(), bytes);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < words; ++i) wrong += seen[i] != now.word(i) ? 1U : 0U;
  r.check(wrong == 0, "pattern of device = of host", fmt::format("{} of {} words differ", wrong, words));

  const auto look = [&](const char* what, Buffer& buffer, Range range, const Pattern& expected, const Pattern& old,
                        auto good) {
    auto m = d.verify(s, buffer, range, expected, old, in(60));
    if (!r.check(m, std::string("verify: ") + what)) return;
    r.check(good(m.value()), std::string("verify: ") + what, words_of(m.value()));
  };
  look("right", x, {0, bytes}, now, before, [&](const Mismatch& m) { return m.right() && m.checked == words; });
  look("lost", x, {0, bytes}, {11, 9}, now, [&](const Mismatch& m) { return m.wrong == words && m.lost == words; });
  look("stale", x, {0, bytes}, {11, 10}, before,
       [&](const Mismatch& m) { return m.wrong == words && m.stale == words; });
  look("not stale", x, {0, bytes}, {11, 11}, before,
       [&](const Mismatch& m) { return m.wrong == words && m.stale == 0; });
  look("shifted", x, {12, bytes - 12}, now, before,
       [&](const Mismatch& m) { return m.wrong == words - 3 && m.shifted == words - 3; });
  look("shifted 17", x, {68, bytes - 68}, now, before,
       [&](const Mismatch& m) { return m.wrong == words - 17 && m.shifted == 0; });
  std::memset(host.pointer(), 0xFF, bytes);
  r.check(d.copy(s, y, 0, host, {0, bytes}), "copy from host");
  look("all ones", y, {0, bytes}, now, before,
       [&](const Mismatch& m) { return m.wrong == words && m.all_ones == words && m.first_offset == 0; });
  std::memset(host.pointer(), 0, bytes);
  r.check(d.copy(s, y, 0, host, {0, bytes}), "copy from host");
  look("zero", y, {0, bytes}, now, before, [&](const Mismatch& m) { return m.wrong == words && m.zero == words; });
  r.check(d.load(s, y, 0, x, {0, bytes}), "load");
  look("after load", y, {0, bytes}, now, before, [](const Mismatch& m) { return m.right(); });
  r.check(d.copy(s, y, 4000, host, {0, 4}), "copy of one word");
  look("one word", y, {0, bytes}, now, before, [&](const Mismatch& m) {
    return m.wrong == 1 && m.zero == 1 && m.first_offset == 4000 && m.first_expected == now.word(1000) &&
           m.first_found == 0;
  });
  r.check(d.store(s, host, {0, bytes}, now), "store in host memory");
  look("of host memory", host, {0, bytes}, now, before, [](const Mismatch& m) { return m.right(); });
  r.check(!d.store(s, x, {bytes, 4}, now).ok(), "a range past the end is refused");
}

void check_host_handshake(Report& r, Device& d) {
  auto h = d.allocate_host(4096);
  auto s0 = d.make_stream();
  auto s1 = d.make_stream();
  if (!r.check(h, "allocate_host") || !r.check(s0, "make_stream") || !r.check(s1, "make_stream")) return;
  std::memset(h.value()->pointer(), 0, 4096);
  Buffer& host = *h.value();
  const Handshake first{0, 1000, std::chrono::seconds(40)};
  const Handshake second{1, 1000, std::chrono::seconds(40)};
  auto e0 = d.handshake(*s0.value(), host, host, first);
  auto e1 = d.handshake(*s1.value(), host, host, second);
  if (!r.check(e0, "handshake enqueued") || !r.check(e1, "handshake enqueued")) return;
  r.check(s0.value()->wait(in(60)), "wait");
  r.check(s1.value()->wait(in(60)), "wait");
  const HandshakeEnd a = e0.value()();
  const HandshakeEnd b = e1.value()();
  r.check(a.rounds == 1000 && b.rounds == 1000 && a.wrong_payload == 0 && b.wrong_payload == 0, "handshake, one GPU",
          fmt::format("{} and {} rounds, {} and {} wrong, {:.2f} us a round", a.rounds, b.rounds, a.wrong_payload,
                      b.wrong_payload, a.seconds * 1e3));
  std::memset(host.pointer(), 0, 4096);
  auto alone = d.handshake(*s0.value(), host, host, {0, 10, std::chrono::milliseconds(100)});
  if (!r.check(alone, "handshake alone enqueued")) return;
  r.check(s0.value()->wait(in(60)), "handshake alone ends by itself");
  const HandshakeEnd end = alone.value()();
  r.check(end.rounds == 0 && end.seconds > 0.09 && end.seconds < 30, "handshake alone",
          fmt::format("{} rounds in {:.3f} s", end.rounds, end.seconds));
}

void check_count(Report& r, Device& d, Stream& s) {
  auto h = d.allocate_host(64);
  auto own = d.allocate(64);
  if (!r.check(h, "allocate_host") || !r.check(own, "allocate")) return;
  std::memset(h.value()->pointer(), 0, 64);
  r.check(d.copy(s, *own.value(), 0, *h.value(), {0, 64}), "copy zeros");
  r.check(d.count(s, *own.value(), 8, 100000), "count in own memory");
  r.check(d.copy(s, *h.value(), 32, *own.value(), {0, 32}), "copy the count");
  // Where the driver does not call them native, atomics on host memory are no valid access.
  const bool host = d.info().host_atomics.is(true);
  if (host) r.check(d.count(s, *h.value(), 8, 100000), "count in host memory");
  r.check(d.mark(s, *h.value(), 16, 77), "mark");
  r.check(s.wait(in(60)), "wait");
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, static_cast<char*>(h.value()->pointer()) + at, 4);
    return value;
  };
  r.check(word(32 + 8) == 100000, "counted in own memory", std::to_string(word(32 + 8)));
  if (host) r.check(word(8) == 100000, "counted in host memory", std::to_string(word(8)));
  r.check(word(16) == 77, "marked", std::to_string(word(16)));
}

void check_graph(Report& r, Device& d, Stream& s) {
  auto x = d.allocate(kMiB);
  if (!r.check(x, "allocate")) return;
  const Pattern p{5, 5};
  auto graph = d.record(s, [&]() -> Outcome<> {
    if (auto put = d.store(s, *x.value(), {0, kMiB / 2}, p); !put) return put;
    return d.copy(s, *x.value(), kMiB / 2, *x.value(), {0, kMiB / 2});
  });
  if (!r.check(graph, "record a graph")) return;
  r.check(d.replay(s, *graph.value()), "replay");
  r.check(s.wait(in(60)), "wait");
  auto m = d.verify(s, *x.value(), {kMiB / 2, kMiB / 2}, p, {6, 6}, in(60));
  if (r.check(m, "verify after replay")) r.check(m.value().right(), "graph did it", words_of(m.value()));
}

void check_hang(Report& r, Device& d, Stream& s) {
  auto* cuda = dynamic_cast<cuda::CudaDevice*>(&d);
  if (!r.check(cuda != nullptr, "a device of CUDA")) return;
  r.check(cuda->spin(s, std::chrono::milliseconds(300)), "spin");
  auto early = s.wait(in(0.03));
  r.check(!early && early.failure().state == gpucoop::ProbeState::hung, "a deadline passes",
          early.ok() ? "it did not" : early.failure().text);
  r.check(s.wait(in(60)), "and the kernel ends");
}

void check_rates(Report& r, Device& d, Stream& s) {
  const std::uint64_t bytes = (takes_small(d) ? 1 : 256) * kMiB;
  auto x = d.allocate(bytes);
  auto y = d.allocate(bytes);
  auto h = d.allocate_host(bytes);
  if (!r.check(x, "allocate") || !r.check(y, "allocate") || !r.check(h, "allocate_host")) return;
  const auto rate = [&](const char* what, double factor, const std::function<Outcome<>()>& enqueue) {
    static_cast<void>(d.timed(s, 2, enqueue, in(60)));
    auto seconds = d.timed(s, 8, enqueue, in(60));
    if (!seconds.ok()) return static_cast<void>(r.check(seconds, what));
    r.note(what, fmt::format("{:.2f} GB/s", factor * 8 * static_cast<double>(bytes) / seconds.value() / 1e9));
  };
  rate("rate host to device", 1, [&] { return d.copy(s, *x.value(), 0, *h.value(), {0, bytes}); });
  rate("rate device to host", 1, [&] { return d.copy(s, *h.value(), 0, *x.value(), {0, bytes}); });
  rate("rate copy on device (read+write)", 2, [&] { return d.copy(s, *y.value(), 0, *x.value(), {0, bytes}); });
  rate("rate load on device (read+write)", 2, [&] { return d.load(s, *y.value(), 0, *x.value(), {0, bytes}); });
  rate("rate store on device", 1, [&] { return d.store(s, *y.value(), {0, bytes}, {1, 1}); });
  auto seconds = d.timed(
      s, 1000,
      [&] {
        return d.store(s, *y.value(), {0, 4}, {1, 1});
      },
      in(60));
  if (r.check(seconds, "1000 small kernels")) r.note("launch", fmt::format("{:.2f} us", seconds.value() * 1e3));
}

}  // namespace

void check_device(Report& r, Device& d) {
  const auto begin = std::chrono::steady_clock::now();
  r.check(d.dispatch(in(60)), "dispatch");
  r.check(d.dispatch(in(60)), "dispatch again");
  r.note("dispatch twice took",
         fmt::format("{:.1f} ms",
                     std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count()));
  auto made = d.make_stream();
  if (!r.check(made, "make_stream")) return;
  Stream& s = *made.value();
  check_patterns(r, d, s);
  check_host_handshake(r, d);
  check_count(r, d, s);
  check_graph(r, d, s);
  check_hang(r, d, s);
  check_rates(r, d, s);
}

void check_pair(Report& r, Device& a, Device& b) {
  std::string why;
  for (auto [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    auto can = from->can_access(*to, why);
    if (r.check(can, "can_access")) r.note("can access", can.value() ? "yes" : why);
    auto native = from->has_native_atomics(*to);
    if (r.check(native, "has_native_atomics")) r.note("native atomics", native.value() ? "yes" : "no");
    r.check(from->enable_access(*to), "enable_access");
    r.check(from->enable_access(*to), "enable_access again");
  }
  auto sa = a.make_stream();
  auto sb = b.make_stream();
  const std::uint64_t bytes = (takes_small(a) ? 1 : 64) * kMiB + 4;
  auto xa = a.allocate(bytes);
  auto xb = b.allocate(bytes);
  auto yb = b.allocate(bytes);
  if (!r.check(sa, "stream") || !r.check(sb, "stream") || !r.check(xa, "memory") || !r.check(xb, "memory") ||
      !r.check(yb, "memory"))
    return;
  const auto look = [&](const char* what, Device& d, Stream& s, Buffer& x, Pattern expected, Pattern old) {
    auto m = d.verify(s, x, {0, bytes}, expected, old, in(60));
    if (r.check(m, what)) r.check(m.value().right(), what, words_of(m.value()));
  };
  const auto put = [&](Device& d, Stream& s, Buffer& x, Pattern p) {
    r.check(d.store(s, x, {0, bytes}, p), "store");
    r.check(s.wait(in(60)), "wait");
  };
  put(b, *sb.value(), *xb.value(), {2, 1});
  put(a, *sa.value(), *xb.value(), {1, 1});
  look("a stores into b, b verifies", b, *sb.value(), *xb.value(), {1, 1}, {2, 1});
  put(b, *sb.value(), *xb.value(), {2, 2});
  r.check(a.load(*sa.value(), *xa.value(), 0, *xb.value(), {0, bytes}), "a loads from b");
  r.check(sa.value()->wait(in(60)), "wait");
  look("a has what b had", a, *sa.value(), *xa.value(), {2, 2}, {1, 1});
  put(a, *sa.value(), *xa.value(), {3, 3});
  r.check(a.copy(*sa.value(), *xb.value(), 0, *xa.value(), {0, bytes}), "copy a to b");
  r.check(sa.value()->wait(in(60)), "wait");
  look("b has the copy", b, *sb.value(), *xb.value(), {3, 3}, {2, 2});

  auto count_host = a.allocate_host(64);
  auto counter = b.allocate(64);
  if (r.check(count_host, "memory") && r.check(counter, "memory")) {
    std::memset(count_host.value()->pointer(), 0, 64);
    r.check(b.copy(*sb.value(), *counter.value(), 0, *count_host.value(), {0, 64}), "zero the counter");
    r.check(sb.value()->wait(in(60)), "wait");
    r.check(a.count(*sa.value(), *counter.value(), 0, 500000), "count from a");
    r.check(b.count(*sb.value(), *counter.value(), 0, 500000), "count from b");
    r.check(sa.value()->wait(in(60)), "wait");
    r.check(sb.value()->wait(in(60)), "wait");
    r.check(b.copy(*sb.value(), *count_host.value(), 0, *counter.value(), {0, 64}), "copy");
    r.check(sb.value()->wait(in(60)), "wait");
    std::uint32_t counted = 0;
    std::memcpy(&counted, count_host.value()->pointer(), 4);
    r.check(counted == 1000000, "atomics from both", std::to_string(counted));
    // Where the driver does not call them native, atomics on host memory are no valid access.
    if (a.info().host_atomics.is(true) && b.info().host_atomics.is(true)) {
      std::memset(count_host.value()->pointer(), 0, 64);
      r.check(a.count(*sa.value(), *count_host.value(), 0, 50000), "count from a");
      r.check(b.count(*sb.value(), *count_host.value(), 0, 50000), "count from b");
      r.check(sa.value()->wait(in(60)), "wait");
      r.check(sb.value()->wait(in(60)), "wait");
      std::memcpy(&counted, count_host.value()->pointer(), 4);
      r.check(counted == 100000, "atomics from both in host memory", std::to_string(counted));
    } else {
      r.note("atomics from both in host memory", "not native, not tried");
    }
  }
  const auto shake = [&](const char* what, Buffer& own_a, Buffer& own_b) {
    // Stand-ins take turns on the processor: a round may take milliseconds.
    constexpr std::uint32_t kRounds = 1000;
    constexpr std::chrono::milliseconds kLimit(30000);
    auto ea = a.handshake(*sa.value(), own_a, own_b, {0, kRounds, kLimit});
    auto eb = b.handshake(*sb.value(), own_b, own_a, {1, kRounds, kLimit});
    if (!r.check(ea, what) || !r.check(eb, what)) return;
    r.check(sa.value()->wait(in(60)), "wait");
    r.check(sb.value()->wait(in(60)), "wait");
    const HandshakeEnd x = ea.value()();
    const HandshakeEnd y = eb.value()();
    r.check(x.rounds == kRounds && y.rounds == kRounds && x.wrong_payload + y.wrong_payload == 0, what,
            fmt::format("{} and {} rounds, {} wrong, {:.2f} us a round", x.rounds, y.rounds,
                        x.wrong_payload + y.wrong_payload, x.seconds / kRounds * 1e6));
  };
  shake("handshake in peer memory", *xa.value(), *xb.value());
  if (auto host = a.allocate_host(4096); r.check(host, "memory")) {
    std::memset(host.value()->pointer(), 0, 4096);
    shake("handshake in host memory", *host.value(), *host.value());
  }
  const auto rate = [&](const char* what, Device& d, Stream& s, const std::function<Outcome<>()>& enqueue) {
    static_cast<void>(d.timed(s, 4, enqueue, in(60)));
    auto seconds = d.timed(s, 16, enqueue, in(60));
    if (!seconds.ok()) return static_cast<void>(r.check(seconds, what));
    r.note(what, fmt::format("{:.2f} GB/s", 16 * static_cast<double>(bytes) / seconds.value() / 1e9));
  };
  rate("rate copy a to b", a, *sa.value(), [&] {
    return a.copy(*sa.value(), *xb.value(), 0, *xa.value(), {0, bytes});
  });
  rate("rate copy b to a", b, *sb.value(), [&] {
    return b.copy(*sb.value(), *xa.value(), 0, *xb.value(), {0, bytes});
  });
  rate("rate store a to b", a, *sa.value(), [&] { return a.store(*sa.value(), *xb.value(), {0, bytes}, {9, 9}); });
  rate("rate load a from b", a, *sa.value(), [&] {
    return a.load(*sa.value(), *xa.value(), 0, *xb.value(), {0, bytes});
  });
}

}  // namespace smoke
