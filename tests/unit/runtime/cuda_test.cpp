#include "runtime/cuda/cuda.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "runtime/cuda/device.hpp"

using namespace gpucoop;
using namespace gpucoop::runtime;

namespace {

/// What the stand-in does, for as long as this lives.
class Told {
 public:
  explicit Told(const char* words) { setenv("GPUCOOP_FAKE_CUDA", words, 1); }
  ~Told() { unsetenv("GPUCOOP_FAKE_CUDA"); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
};

Deadline in(int milliseconds) { return std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds); }

Outcome<std::unique_ptr<Runtime>> load() { return cuda::load(GPUCOOP_FAKES "/libcuda.so.1"); }

struct Pair {
  std::unique_ptr<Runtime> runtime;
  std::unique_ptr<Device> a, b;
  std::unique_ptr<Stream> sa, sb;

  Pair() {
    auto loaded = load();
    REQUIRE(loaded.ok());
    runtime = std::move(loaded).value();
    open("0000:a0:00.0", a, sa);
    open("0000:a1:00.0", b, sb);
  }
  void open(const char* address, std::unique_ptr<Device>& device, std::unique_ptr<Stream>& stream) {
    auto opened = runtime->open(address);
    REQUIRE(opened.ok());
    device = std::move(opened).value();
    auto made = device->make_stream();
    REQUIRE(made.ok());
    stream = std::move(made).value();
  }
  static std::unique_ptr<Buffer> memory(Device& d, std::uint64_t bytes) {
    auto made = d.allocate(bytes);
    REQUIRE(made.ok());
    return std::move(made).value();
  }
  static void store(Device& d, Stream& s, Buffer& x, const Pattern& p) {
    REQUIRE(d.store(s, x, {0, x.bytes()}, p).ok());
    REQUIRE(s.wait(in(60000)).ok());
  }
  static Mismatch verify(Device& d, Stream& s, Buffer& x, const Pattern& now, const Pattern& old) {
    auto m = d.verify(s, x, {0, x.bytes()}, now, old, in(60000));
    REQUIRE(m.ok());
    return m.value();
  }
};

constexpr std::uint64_t kBytes = 4096;
constexpr std::uint64_t kWords = kBytes / 4;

}  // namespace

TEST_CASE("a missing driver library is no such thing, in the loader's words") {
  auto loaded = cuda::load("/nonexistent/libcuda.so.1");
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.failure().state == ProbeState::skipped);
  CHECK(loaded.failure().text.find("/nonexistent/libcuda.so.1: cannot open shared object file") == 0);
}

TEST_CASE("a library that is no driver library is refused with what it lacks") {
  auto loaded = cuda::load(GPUCOOP_FAKES "/libnccl.so.2");
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.failure().state == ProbeState::refused);
  CHECK(loaded.failure().text.find("libnccl.so.2: has no cuInit") != std::string::npos);
}

TEST_CASE("a driver that cannot begin says so with code and text") {
  const Told told("init-803");
  auto loaded = load();
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.failure().state == ProbeState::refused);
  CHECK(loaded.failure().text ==
        "cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): system has unsupported display driver / cuda driver "
        "combination");
}

TEST_CASE("devices are named by address and architecture") {
  auto loaded = load();
  REQUIRE(loaded.ok());
  CHECK(loaded.value()->name() == "cuda");
  CHECK(loaded.value()->version() == "CUDA 13.0");
  auto all = loaded.value()->devices();
  REQUIRE(all.ok());
  REQUIRE(all.value().size() == 2);
  CHECK(all.value()[1].address == "0000:a1:00.0");
  CHECK(all.value()[1].architecture == "sm_90");
  CHECK(all.value()[1].memory_bytes == 8ULL << 30U);
  CHECK(all.value()[1].host_atomics.is(false));
}

TEST_CASE("an address that the driver does not offer is refused") {
  auto loaded = load();
  REQUIRE(loaded.ok());
  auto opened = loaded.value()->open("0000:01:00.0");
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.failure().state == ProbeState::refused);
  CHECK(opened.failure().text.find("CUDA does not offer 0000:01:00.0 to this process (it offers 2 devices") == 0);
}

TEST_CASE("a device in exclusive use refuses to be opened") {
  const Told told("context-46");
  auto loaded = load();
  REQUIRE(loaded.ok());
  auto opened = loaded.value()->open("0000:a0:00.0");
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.failure().state == ProbeState::refused);
  CHECK(opened.failure().text.find("cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE (46)") == 0);
}

TEST_CASE("what the compiler of kernels says is told") {
  const Told told("module-222");
  auto loaded = load();
  REQUIRE(loaded.ok());
  auto opened = loaded.value()->open("0000:a0:00.0");
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.failure().state == ProbeState::refused);
  CHECK(opened.failure().text.find("ptxas fatal: Unsupported .version") != std::string::npos);
}

TEST_CASE("addresses are written as reports write them") {
  CHECK(cuda::normal_address("00000000:0B:00.0") == "0000:0b:00.0");
  CHECK(cuda::normal_address("0000:0B:00.0") == "0000:0b:00.0");
  CHECK(cuda::normal_address("00010000:E1:00.0") == "10000:e1:00.0");
  CHECK(cuda::normal_address("GPU-12") == "");
}

TEST_CASE("a dispatch is checked by what it wrote") {
  Pair p;
  CHECK(p.a->dispatch(in(60000)).ok());
  const Told told("dispatch-wrong");
  auto wrong = p.a->dispatch(in(60000));
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.failure().state == ProbeState::wrong_data);
  CHECK(wrong.failure().text.find("a kernel on 0000:a0:00.0 stored 0x") == 0);
}

TEST_CASE("a launch that fails is told with its function") {
  Pair p;
  const Told told("launch-719");
  auto failed = p.a->dispatch(in(60000));
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.failure().state == ProbeState::failed);
  CHECK(failed.failure().text == "cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure");
}

TEST_CASE("a kernel that does not end is hung at the deadline, and nothing waits for it after that") {
  Pair p;
  auto* device = dynamic_cast<cuda::CudaDevice*>(p.a.get());
  REQUIRE(device != nullptr);
  REQUIRE(device->spin(*p.sa, std::chrono::milliseconds(1000)).ok());
  const auto begin = std::chrono::steady_clock::now();
  auto late = p.sa->wait(in(20));
  REQUIRE_FALSE(late.ok());
  CHECK(late.failure().state == ProbeState::hung);
  CHECK(late.failure().text == "cuStreamQuery: work on 0000:a0:00.0 has not ended at the deadline");
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(20));
  CHECK(p.sa->wait(in(60000)).ok());
}

TEST_CASE("ranges past the end and half words are refused before the driver sees them") {
  Pair p;
  auto x = Pair::memory(*p.a, kBytes);
  CHECK(p.a->store(*p.sa, *x, {kBytes - 4, 8}, {}).failure().text == "store: bytes 4092 to 4100 of a buffer of 4096");
  CHECK(p.a->store(*p.sa, *x, {2, 4}, {}).failure().text == "store: not whole words: offset 2, 4 bytes");
  CHECK(p.a->copy(*p.sa, *x, 4095, *x, {0, 2}).failure().text == "copy: bytes 4095 to 4097 of a buffer of 4096");
  CHECK_FALSE(p.a->count(*p.sa, *x, ~0ULL, 1).ok());
}

TEST_CASE("peer writes that lie are found by their owner") {
  Pair p;
  auto x = Pair::memory(*p.b, kBytes);
  const Pattern old{7, 1};
  const auto after_write = [&](const char* lie) {
    Pair::store(*p.b, *p.sb, *x, old);
    const Told told(lie);
    Pair::store(*p.a, *p.sa, *x, {9, 4});
    return Pair::verify(*p.b, *p.sb, *x, {9, 4}, old);
  };
  CHECK(after_write("").right());
  CHECK(after_write("peer-lost").lost == kWords);
  CHECK(after_write("peer-ones").all_ones == kWords);
  const Mismatch mirrored = after_write("peer-mirror");
  CHECK(mirrored.wrong == kWords);
  CHECK(mirrored.lost == kWords);
  CHECK(mirrored.first_offset == 0);
  CHECK(mirrored.first_expected == Pattern{9, 4}.word(0));
  CHECK(mirrored.first_found == old.word(0));
}

TEST_CASE("a private mirror fools its writer and not the owner") {
  Pair p;
  auto x = Pair::memory(*p.b, kBytes);
  Pair::store(*p.b, *p.sb, *x, {7, 1});
  const Told told("peer-mirror");
  Pair::store(*p.a, *p.sa, *x, {9, 4});
  CHECK(Pair::verify(*p.a, *p.sa, *x, {9, 4}, {7, 1}).right());
  CHECK_FALSE(Pair::verify(*p.b, *p.sb, *x, {9, 4}, {7, 1}).right());
}

TEST_CASE("writes that come one round late are stale") {
  Pair p;
  auto x = Pair::memory(*p.b, kBytes);
  const Told told("peer-stale");
  Pair::store(*p.a, *p.sa, *x, {9, 4});
  Pair::store(*p.a, *p.sa, *x, {9, 5});
  const Mismatch m = Pair::verify(*p.b, *p.sb, *x, {9, 5}, {7, 1});
  CHECK(m.wrong == kWords);
  CHECK(m.stale == kWords);
}

TEST_CASE("a peer that cannot be reached is refused in the driver's words") {
  Pair p;
  const Told told("peer-no");
  std::string why;
  auto can = p.a->can_access(*p.b, why);
  REQUIRE(can.ok());
  CHECK_FALSE(can.value());
  CHECK(why == "cuDeviceCanAccessPeer(0000:a0:00.0, 0000:a1:00.0) = 0");
  auto enabled = p.a->enable_access(*p.b);
  REQUIRE_FALSE(enabled.ok());
  CHECK(enabled.failure().state == ProbeState::refused);
  CHECK(enabled.failure().text ==
        "cuCtxEnablePeerAccess: CUDA_ERROR_PEER_ACCESS_UNSUPPORTED (217): peer access is not supported between these "
        "two devices");
}

TEST_CASE("a handshake over memory whose writes are lost ends by its own limit") {
  Pair p;
  auto x = Pair::memory(*p.a, kBytes);
  auto y = Pair::memory(*p.b, kBytes);
  const auto shake = [&](int limit) {
    const std::chrono::milliseconds most(limit);
    auto first = p.a->handshake(*p.sa, *x, *y, {0, 20, most});
    auto second = p.b->handshake(*p.sb, *y, *x, {1, 20, most});
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    REQUIRE(p.sa->wait(in(60000)).ok());
    REQUIRE(p.sb->wait(in(60000)).ok());
    return std::pair(first.value()(), second.value()());
  };
  auto [a, b] = shake(60000);
  CHECK(a.rounds == 20);
  CHECK(b.rounds == 20);
  CHECK(a.wrong_payload + b.wrong_payload == 0);
  const Told told("peer-lost");
  Pair::store(*p.a, *p.sa, *x, {1, 1});
  Pair::store(*p.b, *p.sb, *y, {1, 1});
  std::tie(a, b) = shake(50);
  CHECK(a.rounds == 0);
  CHECK(b.rounds == 0);
  CHECK(a.seconds >= 0.05);
}

TEST_CASE("atomics that lose additions miscount") {
  Pair p;
  auto h = p.a->allocate_host(64);
  REQUIRE(h.ok());
  auto x = Pair::memory(*p.b, 64);
  const auto counted = [&] {
    std::memset(h.value()->pointer(), 0, 64);
    REQUIRE(p.b->copy(*p.sb, *x, 0, *h.value(), {0, 64}).ok());
    REQUIRE(p.sb->wait(in(60000)).ok());
    REQUIRE(p.a->count(*p.sa, *x, 8, 1000).ok());
    REQUIRE(p.sa->wait(in(60000)).ok());
    REQUIRE(p.b->copy(*p.sb, *h.value(), 0, *x, {0, 64}).ok());
    REQUIRE(p.sb->wait(in(60000)).ok());
    std::uint32_t n = 0;
    std::memcpy(&n, static_cast<char*>(h.value()->pointer()) + 8, 4);
    return n;
  };
  CHECK(counted() == 1000);
  const Told told("atomics-lost");
  CHECK(counted() == 500);
}

TEST_CASE("memory of another process is opened by its handle, and only by another process") {
  Pair p;
  auto x = Pair::memory(*p.a, kBytes);
  Pair::store(*p.a, *p.sa, *x, {3, 1});
  auto handle = p.a->export_buffer(*x);
  REQUIRE(handle.ok());
  CHECK(handle.value().size() == 72);
  auto own = p.a->import_buffer(handle.value(), kBytes);
  REQUIRE_FALSE(own.ok());
  CHECK(own.failure().text.find("cuIpcOpenMemHandle: CUDA_ERROR_INVALID_CONTEXT (201)") == 0);
  CHECK_FALSE(p.a->import_buffer("short", kBytes).ok());
}

TEST_CASE("a recorded graph does again what was recorded, and only then") {
  Pair p;
  auto x = Pair::memory(*p.a, kBytes);
  Pair::store(*p.a, *p.sa, *x, {1, 1});
  auto graph = p.a->record(*p.sa, [&] { return p.a->store(*p.sa, *x, {0, kBytes}, {2, 2}); });
  REQUIRE(graph.ok());
  CHECK(Pair::verify(*p.a, *p.sa, *x, {1, 1}, {2, 2}).right());
  REQUIRE(p.a->replay(*p.sa, *graph.value()).ok());
  CHECK(Pair::verify(*p.a, *p.sa, *x, {2, 2}, {1, 1}).right());
  auto failed = p.a->record(*p.sa, []() -> Outcome<> { return Failure{ProbeState::failed, "no"}; });
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.failure().text == "no");
  CHECK(p.a->dispatch(in(60000)).ok());
}
