#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gpucoop::wire {

constexpr unsigned kMostRanks = 64;

/// What a rank is doing, for whoever looks at a hang. Written by the rank with relaxed stores before each operation, so
/// that a rank that never comes back still tells.
struct Progress {
  enum class Doing : std::uint32_t { nothing, working, waiting, done };
  std::atomic<std::uint32_t> step{0};   ///< Step::id
  std::atomic<std::uint32_t> doing{0};  ///< Doing
  std::atomic<std::uint32_t> group{0};  ///< index in Step::groups
  std::atomic<std::uint32_t> round{0};
  std::atomic<std::uint32_t> op{0};     ///< index of the operation within a round
  std::atomic<std::uint64_t> beats{0};  ///< counts up while the rank makes progress: unchanged is stuck
};

/// A page that the supervisor and the ranks of a team share, in an unnamed file (memfd): it goes with the last process,
/// whatever ends it. Behind it lies the arena, the memory of the host backend's devices.
class Board {
 public:
  Board() = default;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  /// Made by the supervisor. `arena_bytes` is address space: pages come as they are touched.
  static Result<std::unique_ptr<Board>> create(unsigned ranks, std::uint64_t arena_bytes);
  /// Mapped by a rank from the descriptor that it inherited. Sizes are checked.
  static Result<std::unique_ptr<Board>> attach(int fd);
  virtual ~Board() = default;

  [[nodiscard]] virtual int fd() const = 0;
  [[nodiscard]] virtual unsigned ranks() const = 0;
  [[nodiscard]] virtual Progress& progress(unsigned rank) = 0;

  /// A barrier of `count` ranks that all name the same `key` (of a group or step; any but the largest), which can be
  /// met at again and again. False at the deadline: then this rank is not counted. Sleeps until the last one comes. A
  /// rank that dies holds nothing; the others see the deadline.
  [[nodiscard]] virtual bool meet(std::uint64_t key, unsigned count,
                                  std::chrono::steady_clock::time_point deadline) = 0;
  /// Hands bytes (at most 1 KiB) to other ranks: handles, ids. `key` is used once in a team's life, and apart from the
  /// keys of barriers. False where the bytes are too many, the key was used, or 16384 keys were.
  virtual bool give(std::uint64_t key, std::string_view bytes) = 0;
  /// Waits for them; false at the deadline.
  [[nodiscard]] virtual bool take(std::uint64_t key, std::string& bytes,
                                  std::chrono::steady_clock::time_point deadline) = 0;

  [[nodiscard]] virtual std::byte* arena() = 0;
  [[nodiscard]] virtual std::uint64_t arena_bytes() const = 0;
};

}  // namespace gpucoop::wire
