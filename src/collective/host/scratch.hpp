#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/arena.hpp"
#include "wire/board.hpp"

namespace gpucoop::collective::host {

// What the library's processes share, at the start of the arena. Zero bytes are its empty state.

/// A line of its own for what one rank writes and another one looks at.
constexpr std::size_t kLine = 64;

struct Control {
  std::atomic<std::uint32_t> lock;
  std::atomic<std::uint32_t> next_token;  ///< tells communicators apart
  std::array<std::uint8_t, 65536> taken;  ///< pages of scratch; guarded by lock

  /// Where the block of a communicator is, at its token modulo the size.
  struct Entry {
    std::atomic<std::uint32_t> token;   ///< 0: free
    std::atomic<std::uint64_t> offset;  ///< 0: not there yet
  };
  std::array<Entry, 8192> blocks;

  /// With the injected fault only: which communicator's data occupy the one mailbox that a process has then, although
  /// it is not in an operation of that communicator. 0: none.
  struct alignas(kLine) Mailbox {
    std::atomic<std::uint32_t> held_by;
  };
  std::array<Mailbox, wire::kMostRanks> mailboxes;
};

/// The scratch memory of communicators, in the arena.
class Scratch {
 public:
  Scratch(std::byte* arena, const wire::ArenaLayout& layout);

  [[nodiscard]] Control& control() const { return *control_; }
  /// Offset in the arena of that many bytes, not cleared. None: there is no room, or the lock was not to be had.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t bytes);
  void give_back(std::uint64_t offset, std::uint64_t bytes);
  /// Null where the arena has no such place.
  [[nodiscard]] std::byte* at(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::byte* arena_;
  wire::ArenaLayout layout_;
  Control* control_;
  std::uint64_t pages_;
};

}  // namespace gpucoop::collective::host
