#include "collective/host/host_library.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <thread>

#include "collective/host/arithmetic.hpp"
#include "runtime/host/host_runtime.hpp"
#include "wire/arena.hpp"

namespace gpucoop::collective {
namespace {

using runtime::Outcome;
using Clock = std::chrono::steady_clock;

runtime::Deadline soon() { return Clock::now() + std::chrono::seconds(30); }

/// What one rank has.
struct Process {
  std::unique_ptr<runtime::Runtime> runtime;
  std::unique_ptr<Library> library;
  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Stream> stream;

  std::unique_ptr<runtime::Buffer> buffer(const std::vector<float>& values) {
    auto made = device->allocate(values.size() * 4);
    REQUIRE(made.ok());
    std::memcpy(made.value()->pointer(), values.data(), values.size() * 4);
    return std::move(made).value();
  }
};

std::vector<float> values_of(const runtime::Buffer& buffer) {
  std::vector<float> out(buffer.bytes() / 4);
  std::memcpy(out.data(), buffer.pointer(), out.size() * 4);
  return out;
}

/// Ranks as threads over a real board.
class Ranks {
 public:
  explicit Ranks(unsigned count) {
    auto made = wire::Board::create(count, wire::arena_bytes_for(count, 1U << 22U));
    REQUIRE(made.ok());
    board_ = std::move(made).value();
    for (unsigned rank = 0; rank < count; ++rank) {
      Process process;
      process.runtime = runtime::host::make_runtime(*board_, rank).value();
      process.library = host::make_library(*board_, rank, {}).value();
      process.device = process.runtime->open("host:" + std::to_string(rank)).value();
      process.stream = process.device->make_stream().value();
      processes_.push_back(std::move(process));
    }
  }

  [[nodiscard]] Process& operator[](unsigned rank) { return processes_[rank]; }

  /// Each rank in a thread of its own.
  void all(const std::function<void(unsigned, Process&)>& body) {
    std::vector<std::thread> threads;
    for (unsigned rank = 0; rank < processes_.size(); ++rank) {
      threads.emplace_back([&, rank] { body(rank, processes_[rank]); });
    }
    for (auto& thread : threads) thread.join();
  }

  std::vector<std::unique_ptr<Communicator>> join() {
    const auto id = processes_[0].library->make_id();
    REQUIRE(id.ok());
    std::vector<std::unique_ptr<Communicator>> out(processes_.size());
    const auto size = static_cast<unsigned>(processes_.size());
    all([&](unsigned rank, Process& process) {
      auto joined = process.library->join(*process.device, id.value(), size, rank, soon());
      if (joined.ok()) out[rank] = std::move(joined).value();
    });
    for (const auto& end : out) REQUIRE(end != nullptr);
    return out;
  }

 private:
  std::unique_ptr<wire::Board> board_;
  std::vector<Process> processes_;
};

TEST_CASE("arithmetic of every kind") {
  const std::int8_t a[] = {100, -128, 7, -3};
  const std::int8_t b[] = {100, -1, -7, 5};
  std::int8_t out[4];
  const auto combine = [&](ReduceOp op) {
    host::combine(static_cast<std::byte*>(static_cast<void*>(out)),
                  static_cast<const std::byte*>(static_cast<const void*>(a)),
                  static_cast<const std::byte*>(static_cast<const void*>(b)), 4, DataType::int8, op);
    return std::vector<int>(out, out + 4);
  };
  CHECK(combine(ReduceOp::sum) == std::vector<int>{-56, 127, 0, 2});
  CHECK(combine(ReduceOp::prod) == std::vector<int>{16, -128, -49, -15});
  CHECK(combine(ReduceOp::max) == std::vector<int>{100, -1, 7, 5});
  CHECK(combine(ReduceOp::min) == std::vector<int>{100, -128, -7, -3});
  std::int32_t sums[] = {7, -7, 9};
  host::finish(static_cast<std::byte*>(static_cast<void*>(sums)), 3, DataType::int32, ReduceOp::avg, 3);
  CHECK(std::vector<int>(sums, sums + 3) == std::vector<int>{2, -2, 3});
}

TEST_CASE("a communicator says who is in it and how data go") {
  Ranks ranks(3);
  const auto ends = ranks.join();
  CHECK(ends[1]->size() == 3);
  CHECK(ends[1]->rank() == 1);
  CHECK(ends[1]->transports() == std::vector<std::string>{"SHM/host", "", "SHM/host"});
  CHECK(ranks[0].library->info().name == "host");
}

TEST_CASE("sends and receives in one group are one operation") {
  Ranks ranks(3);
  const auto ends = ranks.join();
  std::vector<float> got[3];
  ranks.all([&](unsigned rank, Process& process) {
    // Larger than what lies ready in between, so that one after the other would never end.
    const std::size_t count = 400000;
    const auto from = process.buffer(std::vector<float>(count, static_cast<float>(rank + 1)));
    const auto to = process.buffer(std::vector<float>(count * 3, 0));
    REQUIRE(process.library->group_start().ok());
    for (unsigned peer = 0; peer < 3; ++peer) {
      REQUIRE(ends[rank]->send({from.get(), 0}, count, DataType::float32, peer, *process.stream).ok());
      REQUIRE(ends[rank]->receive({to.get(), peer * count * 4}, count, DataType::float32, peer, *process.stream).ok());
    }
    REQUIRE(process.library->group_end(soon()).ok());
    REQUIRE(ends[rank]->settle(*process.stream, soon()).ok());
    got[rank] = values_of(*to);
  });
  for (unsigned rank = 0; rank < 3; ++rank) {
    CHECK(got[rank][0] == 1);
    CHECK(got[rank][399999] == 1);
    CHECK(got[rank][400000] == 2);
    CHECK(got[rank][1199999] == 3);
  }
}

TEST_CASE("a lone send waits for its receive, and a chain of them ends") {
  Ranks ranks(3);
  const auto ends = ranks.join();
  float got = 0;
  ranks.all([&](unsigned rank, Process& process) {
    const auto memory = process.buffer(std::vector<float>(300000, rank == 0 ? 5.0F : 0.0F));
    if (rank > 0) {
      REQUIRE(ends[rank]->receive({memory.get(), 0}, 300000, DataType::float32, rank - 1, *process.stream).ok());
    }
    if (rank < 2) {
      REQUIRE(ends[rank]->send({memory.get(), 0}, 300000, DataType::float32, rank + 1, *process.stream).ok());
    }
    REQUIRE(ends[rank]->settle(*process.stream, soon()).ok());
    if (rank == 2) got = values_of(*memory).back();
  });
  CHECK(got == 5);
}

TEST_CASE("ranks that disagree about the operation or its size are told") {
  Ranks ranks(2);
  const auto ends = ranks.join();
  std::string text[2];
  ranks.all([&](unsigned rank, Process& process) {
    const auto memory = process.buffer(std::vector<float>(64, 1));
    const auto put =
        rank == 0 ? ends[0]->broadcast({memory.get(), 0}, {memory.get(), 0}, 64, DataType::float32, 0, *process.stream)
                  : ends[1]->receive({memory.get(), 0}, 32, DataType::float32, 0, *process.stream);
    REQUIRE(put.ok());
    const auto settled = ends[rank]->settle(*process.stream, soon());
    if (!settled.ok()) text[rank] = settled.failure().text;
  });
  CHECK(text[1] == "host collectives: rank 0 sends 256 bytes of broadcast where 128 of send or receive are due");
}

TEST_CASE("operands outside of their buffers, unknown ranks and open groups are refused") {
  Ranks ranks(1);
  const auto ends = ranks.join();
  auto& process = ranks[0];
  const auto memory = process.buffer(std::vector<float>(64, 1));
  auto& end = *ends[0];
  CHECK(
      end.all_reduce({memory.get(), 0}, {memory.get(), 0}, 64, DataType::float32, ReduceOp::sum, *process.stream).ok());
  CHECK_FALSE(
      end.all_reduce({memory.get(), 4}, {memory.get(), 0}, 64, DataType::float32, ReduceOp::sum, *process.stream).ok());
  CHECK_FALSE(
      end.all_reduce({memory.get(), 0}, {nullptr, 0}, 1, DataType::float32, ReduceOp::sum, *process.stream).ok());
  CHECK_FALSE(end.send({memory.get(), 0}, 1, DataType::float32, 1, *process.stream).ok());
  CHECK_FALSE(end.broadcast({memory.get(), 0}, {memory.get(), 0}, 1, DataType::float32, 1, *process.stream).ok());
  CHECK_FALSE(process.library->group_end(soon()).ok());
  CHECK_FALSE(process.library->join(*process.device, "nonsense", 1, 0, soon()).ok());
  CHECK(end.settle(*process.stream, soon()).ok());
}

TEST_CASE("who waits for a rank that does not come stops at the deadline and names it") {
  Ranks ranks(3);
  const auto id = ranks[0].library->make_id();
  REQUIRE(id.ok());
  std::string text[2];
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      auto& process = ranks[rank];
      const auto joined =
          process.library->join(*process.device, id.value(), 3, rank, Clock::now() + std::chrono::milliseconds(200));
      if (!joined.ok() && joined.failure().state == ProbeState::hung) text[rank] = joined.failure().text;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(text[0] == "host collectives: these ranks did not come to the communicator: 2");
  CHECK(text[1] == text[0]);
}

TEST_CASE("a communicator that is given up lets its stream go") {
  Ranks ranks(2);
  const auto ends = ranks.join();
  auto& process = ranks[0];
  const auto memory = process.buffer(std::vector<float>(64, 1));
  REQUIRE(ends[0]
              ->all_reduce({memory.get(), 0}, {memory.get(), 0}, 64, DataType::float32, ReduceOp::sum, *process.stream)
              .ok());
  const auto waiting = process.stream->wait(Clock::now() + std::chrono::milliseconds(20));
  REQUIRE_FALSE(waiting.ok());
  CHECK(waiting.failure().state == ProbeState::hung);
  REQUIRE(ends[0]->give_up(soon()).ok());
  const auto ended = process.stream->wait(soon());
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.failure().text == "host collectives: the communicator was given up");
  CHECK(process.stream->wait(soon()).ok());
}

TEST_CASE("the memory of communicators is used again") {
  Ranks ranks(2);
  // Far more than there is room for at once.
  for (int i = 0; i < 400; ++i) {
    const auto ends = ranks.join();
    REQUIRE(ends.size() == 2);
  }
}

}  // namespace
}  // namespace gpucoop::collective
