#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wire/board.hpp"

namespace gpucoop::wire {

// What lies in the shared file. Zero bytes are its empty state, so that nothing has to be written when it is made but
// the head. A process that is killed at any point leaves nothing that another one waits for without a deadline.

constexpr std::size_t kLine = 128;  ///< two cache lines: processors fetch them in pairs
constexpr std::size_t kMeetings = 16384;
constexpr std::size_t kGifts = 16384;
constexpr std::size_t kMostGift = 1024;

struct BoardHead {
  std::uint64_t magic = 0;
  std::uint32_t ranks = 0;
  std::uint32_t unused = 0;
  std::uint64_t arena_bytes = 0;
};

struct alignas(kLine) ProgressLine {
  Progress progress;
};

/// A barrier. `state`: how often it was met (24 bits), and who has come since (8 bits).
struct Meeting {
  std::atomic<std::uint64_t> key;  ///< 0: free, else the key and 1
  std::atomic<std::uint32_t> state;
  std::uint32_t unused;
};

struct Gift {
  std::atomic<std::uint64_t> key;     ///< 0: free, else the key and 1
  std::atomic<std::uint32_t> length;  ///< 0: not there yet, else the number of bytes and 1
  std::uint32_t unused;
  std::array<char, kMostGift> bytes;
};

struct BoardPage {
  BoardHead head;
  alignas(kLine) std::array<ProgressLine, kMostRanks> progress;
  alignas(kLine) std::array<Meeting, kMeetings> meetings;
  alignas(kLine) std::array<Gift, kGifts> gifts;
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free,
              "a lock inside an atomic would belong to one process");
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel waits on the word itself");

}  // namespace gpucoop::wire
