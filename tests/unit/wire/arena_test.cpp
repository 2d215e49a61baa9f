#include "wire/arena.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "wire/board.hpp"

namespace gpucoop::wire {
namespace {

TEST_CASE("no two processes allocate in the same part, and all parts are in the arena") {
  for (const unsigned ranks : {1U, 2U, 3U, 8U, kMostRanks}) {
    CAPTURE(ranks);
    const std::uint64_t bytes = arena_bytes_for(ranks, 1U << 20U);
    const auto layout = arena_layout(bytes, ranks);
    REQUIRE(layout.ok());
    const auto& l = layout.value();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
    for (unsigned device = 0; device < ranks; ++device) {
      for (unsigned rank = 0; rank < ranks; ++rank) {
        parts.emplace_back(l.part_offset(device, rank), l.part_bytes(device, rank));
      }
    }
    std::sort(parts.begin(), parts.end());
    CHECK(parts.front().first >= l.scratch_offset + l.scratch_bytes);
    for (std::size_t i = 1; i < parts.size(); ++i) CHECK(parts[i - 1].first + parts[i - 1].second <= parts[i].first);
    CHECK(parts.back().first + parts.back().second <= bytes);
    CHECK(l.guest_bytes >= 8U << 20U);
    CHECK(l.own_bytes == 3 * l.guest_bytes);
  }
}

TEST_CASE("an arena without room for memory is none") {
  CHECK_FALSE(arena_layout(0, 2).ok());
  CHECK_FALSE(arena_layout(1U << 20U, 2).ok());
  CHECK_FALSE(arena_layout(std::uint64_t{1} << 40U, 0).ok());
  CHECK_FALSE(arena_layout(std::uint64_t{1} << 40U, kMostRanks + 1).ok());
}

}  // namespace
}  // namespace gpucoop::wire
