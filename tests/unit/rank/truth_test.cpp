#include "rank/truth.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "team_of_threads.hpp"

namespace gpucoop {
namespace {

using collective::DataType;
using collective::ReduceOp;
using rank::Collective;
using rank::Job;

constexpr std::uint64_t kGuard = 64;

/// What the receive operand and its guards look like once all is right.
std::vector<std::byte> right_memory(const Job& job) {
  const std::uint64_t bytes = job.received() * collective::bytes_of(job.type);
  std::vector<std::byte> memory(bytes + 2 * kGuard);
  rank::fill_poison(job, memory.size(), memory.data());
  rank::fill_expected(job, 0, job.received(), memory.data() + kGuard);
  return memory;
}

runtime::Mismatch in_pieces(const Job& job, const std::vector<std::byte>& memory, std::uint64_t piece) {
  runtime::Mismatch out;
  out.checked = job.received();
  for (std::uint64_t at = 0; at < memory.size(); at += piece) {
    rank::check_piece(job, kGuard, at, memory.data() + at, std::min<std::uint64_t>(piece, memory.size() - at), out);
  }
  return out;
}

}  // namespace

TEST_CASE("an operand that is compared piece by piece is judged as in one piece") {
  for (const auto collective : {Collective::all_reduce, Collective::all_to_all, Collective::all_gather_v}) {
    for (const auto type : {DataType::uint8, DataType::bfloat16, DataType::float32, DataType::int64}) {
      Job job = rank::job_of(collective, 4099, type, ReduceOp::sum, 3, 1, 2);
      job.seed = 11;
      const std::uint64_t element = collective::bytes_of(type);
      auto memory = right_memory(job);
      for (const std::uint64_t piece :
           {std::uint64_t{8}, std::uint64_t{64}, std::uint64_t{1000}, std::uint64_t{8192}}) {
        const auto found = in_pieces(job, memory, piece);
        CHECK(found.wrong == 0);
        CHECK(found.guard == 0);
      }
      // One wrong element at each end, one in the middle, and the outermost and innermost bytes of the guards.
      const std::uint64_t last = (job.received() - 1) * element;
      for (const std::uint64_t at : {std::uint64_t{0}, last / 2 / element * element, last}) {
        memory[kGuard + at] ^= std::byte{0x55};
      }
      for (const std::uint64_t at : {std::uint64_t{0}, kGuard - 1, memory.size() - kGuard, memory.size() - 1}) {
        memory[at] ^= std::byte{1};
      }
      const auto whole = rank::check_received(job, memory.data(), kGuard);
      CHECK(whole.wrong == 3);
      CHECK(whole.guard == 4);
      CHECK(whole.first_offset == 0);
      for (const std::uint64_t piece : {std::uint64_t{8}, std::uint64_t{72}, std::uint64_t{1000}}) {
        const auto found = in_pieces(job, memory, piece);
        CHECK(found.wrong == 3);
        CHECK(found.guard == 4);
        CHECK(found.shifted == whole.shifted);
        CHECK(found.first_expected == whole.first_expected);
        CHECK(found.first_found == whole.first_found);
      }
    }
  }
}

TEST_CASE("what is sent is the same, wherever a piece of it begins") {
  for (const auto collective : {Collective::all_reduce, Collective::all_to_all, Collective::broadcast}) {
    for (const auto op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::avg}) {
      const Job job = rank::job_of(collective, 6000, DataType::float32, op, 4, 3, 1);
      std::vector<std::byte> whole(job.sent() * 4);
      rank::fill_sent(job, 0, job.sent(), whole.data());
      for (const std::uint64_t first : {std::uint64_t{1}, std::uint64_t{370}, job.sent() - 1}) {
        std::vector<std::byte> part((job.sent() - first) * 4);
        rank::fill_sent(job, first, job.sent() - first, part.data());
        CHECK(std::memcmp(part.data(), whole.data() + first * 4, part.size()) == 0);
      }
    }
  }
}

TEST_CASE("operands of several pieces are filled, moved and compared, and a rank beats with every piece") {
  // 4 MiB are a piece, and the guards make the receive operand longer.
  constexpr std::uint64_t kBytes = (std::uint64_t{9} << 20U) + 4;
  TeamOfThreads team(2, {}, kBytes);
  for (const char* rung : {"ccl.allreduce", "ccl.broadcast", "ccl.alltoall", "ccl.reducescatterv"}) {
    auto step = step_of(rung);
    step.sizes = {kBytes};
    const auto before = team.board().progress(1).beats.load();
    const auto results = team.run(step);
    check_all_passed(results);
    CHECK(results[0].bytes >= kBytes / 2);
    CHECK(team.board().progress(1).beats.load() - before >= 3);
  }
  auto step = step_of("ccl.allreduce");
  step.sizes = {kBytes};
  const auto before = team.board().progress(0).beats.load();
  check_all_passed(team.run(step));
  // Three pieces each way, and the two waits between those that are sent and the two between those that come back.
  CHECK(team.board().progress(0).beats.load() - before >= 10);
}

TEST_CASE("a fault in an operand of several pieces is found") {
  TeamOfThreads team(2, {"wrong-data:rank1@all_reduce"}, std::uint64_t{9} << 20U);
  auto step = step_of("ccl.allreduce");
  step.sizes = {std::uint64_t{9} << 20U};
  const auto results = team.run(step);
  CHECK(results[0].state == ProbeState::passed);
  CHECK(results[1].state == ProbeState::wrong_data);
  CHECK(results[1].wrong_words > 1000);
  CHECK(results[1].checked_words == (std::uint64_t{9} << 20U) / 4);
}

}  // namespace gpucoop
