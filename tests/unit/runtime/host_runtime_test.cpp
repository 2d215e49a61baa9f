#include "runtime/host/host_runtime.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <thread>

#include "runtime/host/memory.hpp"
#include "runtime/host/stream.hpp"
#include "wire/arena.hpp"

namespace gpucoop::runtime {
namespace {

using Clock = std::chrono::steady_clock;

Deadline soon() { return Clock::now() + std::chrono::seconds(20); }

/// Two processes' views of one board.
struct Machine {
  Machine() {
    auto made = wire::Board::create(2, wire::arena_bytes_for(2, 1U << 20U));
    REQUIRE(made.ok());
    board = std::move(made).value();
    for (unsigned rank = 0; rank < 2; ++rank) {
      auto runtime = host::make_runtime(*board, rank);
      REQUIRE(runtime.ok());
      runtimes[rank] = std::move(runtime).value();
      devices[rank] = open(rank, rank);
    }
  }
  std::unique_ptr<Device> open(unsigned process, unsigned device) {
    auto opened = runtimes[process]->open("host:" + std::to_string(device));
    REQUIRE(opened.ok());
    return std::move(opened).value();
  }
  static std::unique_ptr<Buffer> allocate(Device& device, std::uint64_t bytes) {
    auto buffer = device.allocate(bytes);
    REQUIRE(buffer.ok());
    return std::move(buffer).value();
  }
  static std::unique_ptr<Stream> stream(Device& device) {
    auto made = device.make_stream();
    REQUIRE(made.ok());
    return std::move(made).value();
  }

  std::unique_ptr<wire::Board> board;
  std::unique_ptr<Runtime> runtimes[2];
  std::unique_ptr<Device> devices[2];
};

TEST_CASE("there is a device for each rank, and no other") {
  Machine machine;
  const auto devices = machine.runtimes[0]->devices();
  REQUIRE(devices.ok());
  REQUIRE(devices.value().size() == 2);
  CHECK(devices.value()[1].address == "host:1");
  for (const std::string address : {"host:2", "host:", "host:x", "host:0 ", "0000:01:00.0", ""}) {
    CAPTURE(address);
    CHECK_FALSE(machine.runtimes[0]->open(address).ok());
  }
}

TEST_CASE("a trivial kernel runs") {
  Machine machine;
  CHECK(machine.devices[0]->dispatch(soon()).ok());
}

TEST_CASE("memory is given back, and there is not more than there is") {
  Machine machine;
  auto& device = *machine.devices[0];
  const std::uint64_t all = device.info().memory_bytes;
  for (int i = 0; i < 3; ++i) {
    auto first = Machine::allocate(device, all / 2);
    auto second = Machine::allocate(device, all / 2);
    const auto third = device.allocate(1);
    REQUIRE_FALSE(third.ok());
    CHECK(third.failure().text.find("out of memory") != std::string::npos);
    first.reset();
    CHECK(device.allocate(all / 2).ok());
  }
  CHECK(device.allocate(all).ok());
  CHECK_FALSE(device.allocate(all + 1).ok());
}

TEST_CASE("parts of memory join again in whatever order they come back") {
  host::Part part(0, 4 * 4096);
  const auto a = part.take(4096);
  const auto b = part.take(1);
  const auto c = part.take(4096);
  REQUIRE((a && b && c));
  CHECK(*b == 4096);
  part.give_back(*a, 4096);
  part.give_back(*c, 4096);
  CHECK_FALSE(part.take(3 * 4096).has_value());
  part.give_back(*b, 1);
  CHECK(part.take(4 * 4096) == std::optional<std::uint64_t>(0));
}

TEST_CASE("two processes have parts of their own in one device's memory, and see each other's") {
  Machine machine;
  const auto guest = machine.open(0, 1);
  auto own = Machine::allocate(*machine.devices[1], 4096);
  auto theirs = Machine::allocate(*guest, 4096);
  CHECK(own->pointer() != theirs->pointer());
  const auto handle = machine.devices[1]->export_buffer(*own);
  REQUIRE(handle.ok());
  CHECK(handle.value().size() <= 256);
  CHECK_FALSE(machine.devices[1]->import_buffer(handle.value(), 4096).ok());
  CHECK_FALSE(guest->import_buffer(handle.value(), 4097).ok());
  CHECK_FALSE(guest->import_buffer("nonsense", 4096).ok());
  CHECK_FALSE(guest->import_buffer("host 1 18446744073709551615 4096", 4096).ok());
  const auto opened = guest->import_buffer(handle.value(), 4096);
  REQUIRE(opened.ok());
  CHECK(opened.value()->pointer() == own->pointer());
}

TEST_CASE("stores, loads and copies move what they say, and stay inside") {
  Machine machine;
  auto& device = *machine.devices[0];
  const auto stream = Machine::stream(device);
  const auto a = Machine::allocate(device, 8192);
  const auto b = Machine::allocate(device, 8192);
  const Pattern data{1, 1};
  const Pattern before{2, 1};
  REQUIRE(device.store(*stream, *b, {0, 8192}, before).ok());
  REQUIRE(device.store(*stream, *a, {1024, 4096}, data).ok());
  REQUIRE(device.load(*stream, *b, 2048, *a, {1024, 4096}).ok());
  auto found = device.verify(*stream, *b, {2048, 4096}, data, before, soon());
  REQUIRE(found.ok());
  CHECK(found.value().right());
  CHECK(found.value().checked == 1024);
  REQUIRE(device.copy(*stream, *b, 0, *a, {1024, 1024}).ok());
  found = device.verify(*stream, *b, {0, 1024}, data, before, soon());
  CHECK(found.value().right());
  found = device.verify(*stream, *b, {1024, 1024}, data, before, soon());
  CHECK(found.value().wrong == 256);
  CHECK_FALSE(device.store(*stream, *a, {8192, 4}, data).ok());
  CHECK_FALSE(device.copy(*stream, *b, 4096, *a, {0, 8192}).ok());
  CHECK_FALSE(device.load(*stream, *b, 0, *a, {8000, ~std::uint64_t{0}}).ok());
}

TEST_CASE("a stream works behind the back of whoever fills it, in order, and can be marked") {
  Machine machine;
  auto& device = *machine.devices[0];
  const auto stream = Machine::stream(device);
  auto* const own = host::host_stream(*stream);
  REQUIRE(own != nullptr);
  std::atomic<bool> open{false};
  std::atomic<bool> began{false};
  own->put([&](const std::atomic<bool>&) -> Outcome<> {
    began = true;
    while (!open) std::this_thread::yield();
    return Done{};
  });
  const auto marks = Machine::allocate(device, 4);
  std::memset(marks->pointer(), 0, 4);
  REQUIRE(device.mark(*stream, *marks, 0, 77).ok());
  const std::atomic_ref<std::uint32_t> mark(*static_cast<std::uint32_t*>(marks->pointer()));
  while (!began) std::this_thread::yield();
  const auto waited = stream->wait(Clock::now() + std::chrono::milliseconds(1));
  REQUIRE_FALSE(waited.ok());
  CHECK(waited.failure().state == ProbeState::hung);
  CHECK(mark.load() == 0);
  open = true;
  CHECK(stream->wait(soon()).ok());
  CHECK(mark.load() == 77);
}

TEST_CASE("what comes behind a failed operation is dropped, until somebody heard of it") {
  Machine machine;
  const auto stream = Machine::stream(*machine.devices[0]);
  auto* const own = host::host_stream(*stream);
  int done = 0;
  const auto count = [&](const std::atomic<bool>&) -> Outcome<> {
    ++done;
    return Done{};
  };
  own->put([](const std::atomic<bool>&) -> Outcome<> { return Failure{ProbeState::refused, "no"}; });
  own->put(count);
  const auto waited = stream->wait(soon());
  REQUIRE_FALSE(waited.ok());
  CHECK(waited.failure().state == ProbeState::refused);
  CHECK(done == 0);
  own->put(count);
  CHECK(stream->wait(soon()).ok());
  CHECK(done == 1);
}

TEST_CASE("a stream that is given up ends the operation that it is in") {
  Machine machine;
  auto stream = Machine::stream(*machine.devices[0]);
  host::host_stream(*stream)->put([](const std::atomic<bool>& stop) -> Outcome<> {
    while (!stop) std::this_thread::yield();
    return Done{};
  });
  stream.reset();
}

TEST_CASE("a graph is recorded without being run, and runs as often as it is replayed") {
  Machine machine;
  auto& device = *machine.devices[0];
  const auto stream = Machine::stream(device);
  const auto counter = Machine::allocate(device, 4);
  std::memset(counter->pointer(), 0, 4);
  const auto graph = device.record(*stream, [&] { return device.count(*stream, *counter, 0, 5); });
  REQUIRE(graph.ok());
  REQUIRE(stream->wait(soon()).ok());
  CHECK(*static_cast<std::uint32_t*>(counter->pointer()) == 0);
  for (int i = 0; i < 3; ++i) REQUIRE(device.replay(*stream, *graph.value()).ok());
  REQUIRE(stream->wait(soon()).ok());
  CHECK(*static_cast<std::uint32_t*>(counter->pointer()) == 15);
  CHECK_FALSE(device.record(*stream, [&] { return device.count(*stream, *counter, 4, 5); }).ok());
}

TEST_CASE("two devices shake hands, side by side and each in its own memory") {
  Machine machine;
  auto& a = *machine.devices[0];
  auto& b = *machine.devices[1];
  const auto stream_a = Machine::stream(a);
  const auto stream_b = Machine::stream(b);
  for (const bool shared : {false, true}) {
    CAPTURE(shared);
    const auto first = Machine::allocate(a, 4096);
    const auto second = Machine::allocate(b, 4096);
    std::memset(first->pointer(), 0, 4096);
    std::memset(second->pointer(), 0, 4096);
    Buffer& other = shared ? *first : *second;
    const Handshake how{0, 50, std::chrono::milliseconds(20000)};
    const auto end_a = a.handshake(*stream_a, *first, other, how);
    const auto end_b = b.handshake(*stream_b, other, *first, Handshake{1, how.rounds, how.limit});
    REQUIRE((end_a.ok() && end_b.ok()));
    REQUIRE(stream_a->wait(soon()).ok());
    REQUIRE(stream_b->wait(soon()).ok());
    CHECK(end_a.value()().rounds == 50);
    CHECK(end_b.value()().rounds == 50);
    CHECK(end_a.value()().wrong_payload + end_b.value()().wrong_payload == 0);
  }
}

TEST_CASE("a handshake without a partner ends by itself") {
  Machine machine;
  auto& device = *machine.devices[0];
  const auto stream = Machine::stream(device);
  const auto memory = Machine::allocate(device, 4096);
  std::memset(memory->pointer(), 0, 4096);
  const auto end = device.handshake(*stream, *memory, *memory, Handshake{0, 50, std::chrono::milliseconds(5)});
  REQUIRE(end.ok());
  REQUIRE(stream->wait(soon()).ok());
  CHECK(end.value()().rounds == 0);
}

TEST_CASE("operations are timed") {
  Machine machine;
  auto& device = *machine.devices[0];
  const auto stream = Machine::stream(device);
  const auto seconds = device.timed(
      *stream, 3,
      [&]() -> Outcome<> {
        host::host_stream(*stream)->put([](const std::atomic<bool>&) -> Outcome<> {
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          return Done{};
        });
        return Done{};
      },
      soon());
  REQUIRE(seconds.ok());
  CHECK(seconds.value() >= 0.006);
}

TEST_CASE("both sides count in one word") {
  Machine machine;
  const auto stream_a = Machine::stream(*machine.devices[0]);
  const auto stream_b = Machine::stream(*machine.devices[1]);
  const auto counter = Machine::allocate(*machine.devices[1], 128);
  std::memset(counter->pointer(), 0, 128);
  REQUIRE(machine.devices[0]->count(*stream_a, *counter, 64, 10000).ok());
  REQUIRE(machine.devices[1]->count(*stream_b, *counter, 64, 10000).ok());
  REQUIRE(stream_a->wait(soon()).ok());
  REQUIRE(stream_b->wait(soon()).ok());
  CHECK(static_cast<std::uint32_t*>(counter->pointer())[16] == 20000);
}

}  // namespace
}  // namespace gpucoop::runtime
