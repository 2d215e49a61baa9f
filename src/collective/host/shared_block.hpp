#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "collective/host/channel.hpp"
#include "collective/host/fault.hpp"
#include "collective/host/scratch.hpp"

namespace gpucoop::collective::host {

/// What the processes of one communicator share.
struct BlockHead {
  std::uint32_t size;
  std::uint32_t token;
  std::atomic<std::uint32_t> come;
  std::atomic<std::uint32_t> gone;
  std::array<std::atomic<std::uint32_t>, wire::kMostRanks> process;  ///< rank on the board and 1; 0: not come yet
  struct alignas(kLine) Inside {
    std::atomic<std::uint32_t> value;
  };
  std::array<Inside, wire::kMostRanks> inside;  ///< with the injected fault only
};

/// How large a block is, and what is where.
struct BlockPlan {
  explicit BlockPlan(unsigned size);
  unsigned size;
  std::uint32_t slot_bytes;
  std::uint64_t channels_offset;
  std::uint64_t slots_offset;
  std::uint64_t bytes;
};

/// One process's hold on a communicator's block: kept by the communicator and by its operations that have not ended.
/// The last one of all processes gives the memory back.
class Member {
 public:
  /// What all communicators of a process have in common.
  struct Process {
    Scratch scratch;
    unsigned board_rank = 0;
    std::unique_ptr<GlobalState> fault;           ///< null: none injected
    std::atomic<std::uint64_t>* beats = nullptr;  ///< of this rank on the board
  };

  /// All `size` ranks come, or `hung`.
  static runtime::Outcome<std::shared_ptr<Member>> join(std::shared_ptr<Process> process, std::uint32_t token,
                                                        unsigned size, unsigned rank, runtime::Deadline deadline);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  [[nodiscard]] unsigned size() const { return plan_.size; }
  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] std::uint32_t slot_bytes() const { return plan_.slot_bytes; }
  [[nodiscard]] const End& to(unsigned peer) const { return to_[peer]; }
  [[nodiscard]] const End& from(unsigned peer) const { return from_[peer]; }
  void give_up() { given_up_.store(true, std::memory_order_relaxed); }

  /// Does `body`, which takes a Mover, as one operation.
  template <class Body>
  runtime::Outcome<> operate(Kind kind, const std::atomic<bool>& stop, const Body& body) {
    enter(stop);
    Mover mover(kind, limits(stop));
    auto outcome = body(mover);
    leave();
    return outcome;
  }

 private:
  Member(std::shared_ptr<Process> process, std::byte* block, std::uint64_t offset, const BlockPlan& plan,
         unsigned rank);
  void connect();
  void enter(const std::atomic<bool>& stop);
  void leave();
  [[nodiscard]] Mover::Limits limits(const std::atomic<bool>& stop) const;
  [[nodiscard]] BlockHead& head() const { return *static_cast<BlockHead*>(static_cast<void*>(block_)); }

  std::shared_ptr<Process> process_;
  std::byte* block_;
  std::uint64_t offset_;
  BlockPlan plan_;
  unsigned rank_;
  bool come_ = false;
  std::vector<End> to_;
  std::vector<End> from_;
  std::atomic<bool> given_up_{false};
};

}  // namespace gpucoop::collective::host
