#include "collective/nccl/nccl.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "collective/nccl/abi.hpp"
#include "runtime/cuda/cuda.hpp"

using namespace gpucoop;
using namespace gpucoop::collective;
using runtime::Outcome;

namespace {

class Told {
 public:
  explicit Told(const char* words, const char* rank = nullptr) {
    setenv("GPUCOOP_FAKE_NCCL", words, 1);
    if (rank != nullptr) setenv("GPUCOOP_FAKE_NCCL_RANK", rank, 1);
  }
  ~Told() {
    unsetenv("GPUCOOP_FAKE_NCCL");
    unsetenv("GPUCOOP_FAKE_NCCL_RANK");
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
};

runtime::Deadline in(int milliseconds) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
}

const char* const kLibrary = GPUCOOP_FAKES "/libnccl.so.2";

std::unique_ptr<Library> load(std::chrono::milliseconds limit = std::chrono::milliseconds(60000)) {
  auto loaded = nccl::load({kLibrary, false, limit});
  REQUIRE(loaded.ok());
  return std::move(loaded).value().library;
}

/// One of two ranks, in a thread of its own: every rank has its own library object, as in its own process.
struct Rank {
  std::unique_ptr<Library> library;
  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Stream> stream;
  std::unique_ptr<runtime::Buffer> x, y;
  std::unique_ptr<Communicator> c;
  std::string why;
  ProbeState state = ProbeState::passed;
};

void join(Rank& r, runtime::Runtime& cuda, const char* address, const std::string& id, unsigned rank, int limit) {
  r.device = std::move(cuda.open(address)).value();
  r.stream = std::move(r.device->make_stream()).value();
  r.x = std::move(r.device->allocate(1 << 21)).value();
  r.y = std::move(r.device->allocate(1 << 21)).value();
  auto joined = r.library->join(*r.device, id, 2, rank, in(limit));
  if (joined.ok()) {
    r.c = std::move(joined).value();
    return;
  }
  r.why = joined.failure().text;
  r.state = joined.failure().state;
}

struct Two {
  std::unique_ptr<runtime::Runtime> cuda;
  Rank a, b;

  explicit Two(int limit = 60000, std::chrono::milliseconds call_limit = std::chrono::milliseconds(60000)) {
    auto loaded = runtime::cuda::load(GPUCOOP_FAKES "/libcuda.so.1");
    REQUIRE(loaded.ok());
    cuda = std::move(loaded).value();
    a.library = load(call_limit);
    b.library = load(call_limit);
    auto id = a.library->make_id();
    REQUIRE(id.ok());
    CHECK(id.value().size() == 128);
    std::thread other([&] { join(b, *cuda, "0000:a1:00.0", id.value(), 1, limit); });
    join(a, *cuda, "0000:a0:00.0", id.value(), 0, limit);
    other.join();
  }
  /// What both do, at once.
  template <class F>
  void both(F f) {
    std::thread other([&] { f(b); });
    f(a);
    other.join();
  }
};

/// All words of x are the rank's number and one.
Outcome<> fill(Rank& r) {
  auto h = r.device->allocate_host(1 << 21);
  if (!h) return h.failure();
  auto* words = static_cast<std::int32_t*>(h.value()->pointer());
  for (int i = 0; i < (1 << 19); ++i) words[i] = static_cast<std::int32_t>(r.c->rank()) + 1;
  if (auto put = r.device->copy(*r.stream, *r.x, 0, *h.value(), {0, 1 << 21}); !put) return put;
  return r.stream->wait(in(60000));
}

int wrong_words(Rank& r, std::int32_t expected, int count) {
  auto h = r.device->allocate_host(1 << 21);
  if (!h || !r.device->copy(*r.stream, *h.value(), 0, *r.y, {0, 1 << 21}) || !r.stream->wait(in(60000))) return -1;
  const auto* words = static_cast<const std::int32_t*>(h.value()->pointer());
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += words[i] != expected ? 1 : 0;
  return wrong;
}

Outcome<> sum(Rank& r, std::uint64_t count) {
  return r.c->all_reduce({r.x.get(), 0}, {r.y.get(), 0}, count, DataType::int32, ReduceOp::sum, *r.stream);
}

}  // namespace

TEST_CASE("NCCL: a missing library is no such thing, in the loader's words") {
  auto loaded = nccl::load({"/nonexistent/libnccl.so.2", false, {}});
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.failure().state == ProbeState::skipped);
  CHECK(loaded.failure().text.find("/nonexistent/libnccl.so.2: cannot open shared object file") == 0);
}

TEST_CASE("NCCL: an old library is refused with its version") {
  const Told told("version-old");
  auto loaded = nccl::load({kLibrary, false, {}});
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.failure().state == ProbeState::refused);
  CHECK(loaded.failure().text.find("libnccl.so.2: version 2.17.1; gpucoop needs 2.18.0 or newer") != std::string::npos);
}

TEST_CASE("NCCL: another library is refused with what it lacks") {
  auto loaded = nccl::load({GPUCOOP_FAKES "/libcuda.so.1", false, {}});
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.failure().state == ProbeState::refused);
  CHECK(loaded.failure().text.find("has no ncclGetVersion: not NCCL or RCCL") != std::string::npos);
}

TEST_CASE("NCCL: versions are read in both schemes") {
  CHECK(nccl::version_text(22809) == "2.28.9");
  CHECK(nccl::version_text(21805) == "2.18.5");
  CHECK(nccl::version_text(2804) == "2.8.4");
}

TEST_CASE("NCCL: what the user has set stays, except where the library could not be watched") {
  setenv("NCCL_SOCKET_IFNAME", "eth7", 1);
  setenv("NCCL_DEBUG", "TRACE", 1);
  setenv("NCCL_COMM_ID", "127.0.0.1:5", 1);
  unsetenv("NCCL_IB_DISABLE");
  const auto changes = nccl::apply_hygiene("/proc/self/fd/99");
  CHECK(std::string(std::getenv("NCCL_SOCKET_IFNAME")) == "eth7");
  CHECK(std::string(std::getenv("NCCL_IB_DISABLE")) == "1");
  CHECK(std::string(std::getenv("NCCL_DEBUG")) == "INFO");
  CHECK(std::getenv("NCCL_COMM_ID") == nullptr);
  const auto find = [&](const std::string& name) {
    for (const auto& change : changes)
      if (change.name == name) return change.value + " was " + change.before;
    return std::string("unchanged");
  };
  CHECK(find("NCCL_SOCKET_IFNAME") == "unchanged");
  CHECK(find("NCCL_DEBUG") == "INFO was TRACE");
  CHECK(find("NCCL_COMM_ID") == " was 127.0.0.1:5");
  CHECK(find("NCCL_IB_DISABLE") == "1 was ");
  unsetenv("NCCL_SOCKET_IFNAME");
  unsetenv("NCCL_DEBUG_FILE");
}

TEST_CASE("NCCL: two ranks join, reduce and tell how their data travel") {
  Two t;
  REQUIRE_MESSAGE(t.a.c != nullptr, t.a.why);
  REQUIRE_MESSAGE(t.b.c != nullptr, t.b.why);
  CHECK(t.a.library->info().name == "nccl");
  CHECK(t.a.library->info().version == "2.28.9");
  CHECK(t.b.c->rank() == 1);
  CHECK(t.b.c->size() == 2);
  Outcome<> put = runtime::Done{};
  t.both([&](Rank& r) {
    put = fill(r);
    if (put.ok()) put = sum(r, 1000);
    if (put.ok()) put = r.c->settle(*r.stream, in(60000));
  });
  REQUIRE(put.ok());
  CHECK(wrong_words(t.a, 3, 1000) == 0);
  CHECK(wrong_words(t.b, 3, 1000) == 0);
}

TEST_CASE("NCCL: send and receive in a group are one") {
  Two t;
  Outcome<> put = runtime::Done{};
  t.both([&](Rank& r) {
    const unsigned other = 1 - r.c->rank();
    auto done = fill(r);
    if (done.ok()) done = r.library->group_start();
    if (done.ok()) done = r.c->send({r.x.get(), 0}, 1000, DataType::int32, other, *r.stream);
    if (done.ok()) done = r.c->receive({r.y.get(), 0}, 1000, DataType::int32, other, *r.stream);
    if (done.ok()) done = r.library->group_end(in(60000));
    if (done.ok()) done = r.c->settle(*r.stream, in(60000));
    if (!done.ok()) put = done;
  });
  REQUIRE(put.ok());
  CHECK(wrong_words(t.a, 2, 1000) == 0);
  CHECK(wrong_words(t.b, 1, 1000) == 0);
  CHECK_FALSE(t.a.library->group_end(in(10)).ok());
}

TEST_CASE("NCCL: an init that never ends is hung at the deadline") {
  const Told told("init-hang");
  const auto begin = std::chrono::steady_clock::now();
  Two t(50);
  CHECK(t.a.c == nullptr);
  CHECK(t.a.state == ProbeState::hung);
  CHECK(t.a.why == "ncclCommInitRankConfig: still in progress at the deadline");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(50));
}

TEST_CASE("NCCL: a refusal is told in the library's words") {
  const Told told("init-refuse");
  Two t;
  CHECK(t.a.state == ProbeState::refused);
  CHECK(t.a.why ==
        "ncclCommInitRankConfig: invalid usage (run with NCCL_DEBUG=WARN for details) (5): Duplicate GPU detected : "
        "rank 0 and rank 1 both on CUDA device a0000");
}

TEST_CASE("NCCL: an operation that never ends is hung, and its communicator can be given up") {
  Two t;
  REQUIRE(t.a.c != nullptr);
  t.both([&](Rank& r) {
    static_cast<void>(sum(r, 100));
    static_cast<void>(r.c->settle(*r.stream, in(60000)));
  });
  const Told told("op-hang", "0");
  REQUIRE(sum(t.a, 100).ok());
  auto hung = t.a.c->settle(*t.a.stream, in(60));
  REQUIRE_FALSE(hung.ok());
  CHECK(hung.failure().state == ProbeState::hung);
  CHECK(t.a.c->give_up(in(60000)).ok());
  CHECK(t.a.c->give_up(in(60000)).ok());
  CHECK_FALSE(sum(t.a, 100).ok());
  CHECK(t.a.stream->wait(in(60000)).ok());
}

TEST_CASE("NCCL: the first operation waits in its call for a rank that does not come, up to the limit of a call") {
  Two t(60000, std::chrono::milliseconds(2000));
  REQUIRE(t.a.c != nullptr);
  auto hung = sum(t.a, 100);
  REQUIRE_FALSE(hung.ok());
  CHECK(hung.failure().state == ProbeState::hung);
  CHECK(hung.failure().text == "ncclAllReduce: still in progress at the deadline");
  CHECK(t.a.c->give_up(in(60000)).ok());
}

TEST_CASE("NCCL: giving up that never comes back is left at its deadline") {
  Two t;
  REQUIRE(t.a.c != nullptr);
  const Told told("abort-hang");
  const auto begin = std::chrono::steady_clock::now();
  auto left = t.a.c->give_up(in(50));
  REQUIRE_FALSE(left.ok());
  CHECK(left.failure().state == ProbeState::hung);
  CHECK(left.failure().text == "ncclCommAbort: has not come back at the deadline");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(50));
}

TEST_CASE("NCCL: an error that comes later ends the wait before its deadline") {
  Two t;
  REQUIRE(t.a.c != nullptr);
  t.both([&](Rank& r) {
    static_cast<void>(sum(r, 100));
    static_cast<void>(r.c->settle(*r.stream, in(60000)));
  });
  {
    const Told told("op-late-error", "0");
    REQUIRE(sum(t.a, 100).ok());
    const auto begin = std::chrono::steady_clock::now();
    auto failed = t.a.c->settle(*t.a.stream, in(60000));
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.failure().state == ProbeState::failed);
    CHECK(failed.failure().text ==
          "ncclCommGetAsyncError: remote process exited or there was a network error (6): "
          "socketPollConnect: connect to 127.0.0.1<40001> returned Connection refused");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(50));
  }
  CHECK(t.a.c->give_up(in(60000)).ok());
  CHECK(t.a.stream->wait(in(60000)).ok());
}

TEST_CASE("NCCL: a refused launch is told in the library's words") {
  Two t;
  const Told told("op-refuse");
  auto refused = sum(t.a, 100);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.failure().text.find("the operation cannot be performed in the present state") != std::string::npos);
}

TEST_CASE("NCCL: wrong data come through as such, for callers to find") {
  Two t;
  const Told told("wrong-large");
  t.both([&](Rank& r) {
    static_cast<void>(fill(r));
    static_cast<void>(sum(r, 1000));
    static_cast<void>(r.c->settle(*r.stream, in(60000)));
  });
  CHECK(wrong_words(t.a, 3, 1000) == 0);
  t.both([&](Rank& r) {
    static_cast<void>(sum(r, 1 << 18));
    static_cast<void>(r.c->settle(*r.stream, in(60000)));
  });
  CHECK(wrong_words(t.a, 3, 1 << 18) == 1);
}

TEST_CASE("NCCL: operands that do not fit are refused before the library sees them") {
  Two t;
  auto refused = t.a.c->all_gather({t.a.x.get(), 0}, {t.a.y.get(), 8}, 1 << 18, DataType::int32, *t.a.stream);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.failure().text == "ncclAllGather: 524288 elements of int32 where 524286 fit");
}

TEST_CASE("NCCL: operands that a rank does not need may be of any size") {
  Two t;
  auto small = t.b.device->allocate(4);
  REQUIRE(small.ok());
  Outcome<> put = runtime::Done{};
  t.both([&](Rank& r) {
    auto done = fill(r);
    const bool root = r.c->rank() == 0;
    const Place unneeded{root ? r.y.get() : small.value().get(), 0};
    if (done.ok()) done = r.c->reduce({r.x.get(), 0}, unneeded, 1000, DataType::int32, ReduceOp::sum, 0, *r.stream);
    if (done.ok()) done = r.c->settle(*r.stream, in(60000));
    if (!done.ok()) put = done;
  });
  REQUIRE(put.ok());
  CHECK(wrong_words(t.a, 3, 1000) == 0);
}
