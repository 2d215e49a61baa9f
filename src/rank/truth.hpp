#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "collective/collective.hpp"
#include "runtime/pattern.hpp"

namespace gpucoop::rank {

/// The collectives that are tried. The last ones are built from others, as engines build them.
enum class Collective : std::uint8_t {
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  send_recv,   ///< each rank to the next one, around the ring
  all_to_all,  ///< sends and receives in one group
  all_gather_v,
  reduce_scatter_v,
  barrier,  ///< an all-reduce of one element
};
[[nodiscard]] std::string_view to_string(Collective collective);

/// One rank's part in one collective. Counts are of elements.
struct Job {
  Collective collective = Collective::all_reduce;
  collective::DataType type = collective::DataType::float32;
  collective::ReduceOp op = collective::ReduceOp::sum;
  unsigned size = 1;  ///< ranks
  unsigned rank = 0;
  unsigned root = 0;
  std::uint64_t count = 0;            ///< of the whole operand, or of each rank's block
  std::vector<std::uint64_t> counts;  ///< of each rank's block, for those with blocks of different sizes
  std::uint32_t seed = 0;
  std::uint32_t round = 0;

  [[nodiscard]] std::uint64_t sent() const;      ///< elements of the send operand
  [[nodiscard]] std::uint64_t received() const;  ///< elements of the receive operand; 0: this rank gets nothing
  [[nodiscard]] bool reduces() const;
  /// Of a block of `rank`, within an operand that holds the blocks of all.
  [[nodiscard]] std::uint64_t block(unsigned rank) const;
  [[nodiscard]] std::uint64_t block_offset(unsigned rank) const;
};

/// A job of `bytes` bytes by nccl-tests' definition of size, at least one element; `round` also turns the root and the
/// uneven sizes, some of which are 0.
[[nodiscard]] Job job_of(Collective collective, std::uint64_t bytes, collective::DataType type, collective::ReduceOp op,
                         unsigned size, unsigned rank, std::uint32_t round);

/// `count` elements of the send operand from `first` on. What is reduced are small integers that every type holds
/// exactly, also after the reduction; what is only moved are the words of a Pattern for each sender.
void fill_sent(const Job& job, std::uint64_t first, std::uint64_t count, std::byte* out);
/// What `count` elements of the receive operand from `first` on are to be.
void fill_expected(const Job& job, std::uint64_t first, std::uint64_t count, std::byte* out);

/// What stands in the receive operand and around it before.
[[nodiscard]] runtime::Pattern poison_of(const Job& job);
void fill_poison(const Job& job, std::uint64_t bytes, std::byte* out);

/// Compares a piece of the receive operand and the two guards of `guard` bytes (a multiple of 8) around it, all of it
/// poisoned before: `bytes` of them from `at` on, counted from the start of the first guard. Pieces begin and end at
/// multiples of 8, but for the end of the last one. What is wrong is added to `out`, counted in elements, but for
/// guards in bytes.
void check_piece(const Job& job, std::uint64_t guard, std::uint64_t at, const std::byte* memory, std::uint64_t bytes,
                 runtime::Mismatch& out);
/// All of it in one piece.
[[nodiscard]] runtime::Mismatch check_received(const Job& job, const std::byte* memory, std::uint64_t guard);

}  // namespace gpucoop::rank
