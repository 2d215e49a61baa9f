#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collective/collective.hpp"
#include "collective/host/scratch.hpp"

namespace gpucoop::collective::host {

constexpr unsigned kSlots = 4;

/// A queue of pieces from one rank of a communicator to another, in shared memory.
struct Channel {
  alignas(kLine) std::atomic<std::uint64_t> put;    ///< pieces that the sender has put in
  alignas(kLine) std::atomic<std::uint64_t> taken;  ///< pieces that the receiver is done with
  struct Piece {
    std::uint32_t bytes;
    std::uint32_t kind;  ///< Kind of the operation it belongs to
  };
  std::array<Piece, kSlots> pieces;
};

/// What an operation is, so that ranks which disagree are told instead of mixing up data.
enum class Kind : std::uint32_t { all_reduce = 1, reduce, broadcast, all_gather, reduce_scatter, point_to_point };
[[nodiscard]] const char* to_string(Kind kind);

/// One end of a channel.
struct End {
  Channel* channel = nullptr;
  std::byte* slots = nullptr;
  std::uint32_t slot_bytes = 0;
  unsigned peer = 0;  ///< rank in the communicator, for what is said
  // With the injected fault only:
  std::atomic<std::uint32_t>* mailbox = nullptr;  ///< of the receiving process
  std::atomic<std::uint32_t>* inside = nullptr;   ///< whether it is in an operation of this communicator
  std::uint32_t token = 0;
};

/// A reduction; `op` only matters where `wanted`.
struct Reduction {
  bool wanted = false;
  DataType type = DataType::uint8;
  ReduceOp op = ReduceOp::sum;
};

/// Moves `bytes` bytes piece by piece: out of `in`, or out of `from` where there is no `in`; combined with `from` where
/// a reduction is wanted; into `to`, into `out`, or into both.
struct Transfer {
  const End* in = nullptr;
  const End* out = nullptr;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::uint64_t bytes = 0;
  Reduction reduction;
  std::uint64_t done = 0;
};

/// Does transfers, all of them at once.
class Mover {
 public:
  /// Ends early when one of the flags is set or the deadline passes.
  struct Limits {
    const std::atomic<bool>* stop = nullptr;
    const std::atomic<bool>* given_up = nullptr;
    runtime::Deadline deadline;
    std::atomic<std::uint64_t>* beats = nullptr;  ///< counted up with every round of pieces: it gets on; may be null
    std::atomic<std::uint32_t>* own_mailbox = nullptr;  ///< with the injected fault only
    std::uint32_t token = 0;
  };
  Mover(Kind kind, const Limits& limits) : kind_(kind), limits_(limits) {}

  /// Where several go through one end of a channel, the earlier one goes first.
  runtime::Outcome<> run(std::span<Transfer> transfers);
  runtime::Outcome<> run(Transfer transfer) { return run(std::span(&transfer, 1)); }

 private:
  enum class Moved : std::uint8_t { nothing, piece, mismatch };
  Moved move(Transfer& transfer);

  Kind kind_;
  Limits limits_;
  std::string mismatch_;
};

}  // namespace gpucoop::collective::host
