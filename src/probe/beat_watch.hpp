#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "wire/board.hpp"

namespace gpucoop::probe {

/// When ranks were last seen to get on, by their beats on the board.
class BeatWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit BeatWatch(wire::Board& board) : board_(board) {}

  void look(const std::vector<unsigned>& ranks, Clock::time_point now) {
    for (const auto rank : ranks) {
      const auto beats = board_.progress(rank).beats.load(std::memory_order_relaxed);
      const auto [seen, fresh] = seen_.try_emplace(rank, Seen{beats, {}});
      if (fresh || seen->second.beats == beats) continue;
      seen->second = {beats, now};
    }
  }
  /// When one of these was last seen to get on; the epoch: never.
  [[nodiscard]] Clock::time_point last(const std::vector<unsigned>& ranks) const {
    Clock::time_point latest;
    for (const auto rank : ranks) {
      const auto seen = seen_.find(rank);
      if (seen != seen_.end()) latest = std::max(latest, seen->second.at);
    }
    return latest;
  }
  /// Whether it has got on since then.
  [[nodiscard]] bool moved_since(unsigned rank, Clock::time_point then) const {
    const auto seen = seen_.find(rank);
    return seen != seen_.end() && seen->second.at >= then;
  }

 private:
  struct Seen {
    std::uint64_t beats = 0;
    Clock::time_point at;  ///< the epoch: never
  };
  wire::Board& board_;
  std::map<unsigned, Seen> seen_;
};

}  // namespace gpucoop::probe
