#include "probe/beat_watch.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;
using namespace gpucoop::probe;
using namespace std::chrono_literals;

TEST_CASE("A rank has got on when its beats have, not when it was first looked at") {
  auto made = wire::Board::create(2, 0);
  REQUIRE(made);
  auto& board = *made.value();
  board.progress(0).beats = 5;
  BeatWatch watch(board);
  const auto start = BeatWatch::Clock::now();
  watch.look({0, 1}, start);
  CHECK_FALSE(watch.moved_since(0, start - 1s));
  ++board.progress(0).beats;
  watch.look({0, 1}, start + 1s);
  watch.look({0, 1}, start + 9s);
  CHECK(watch.moved_since(0, start + 1s));
  CHECK_FALSE(watch.moved_since(0, start + 2s));
  CHECK_FALSE(watch.moved_since(1, start));
  CHECK_FALSE(watch.moved_since(7, start));
}
