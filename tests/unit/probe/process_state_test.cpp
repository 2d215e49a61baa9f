#include "probe/process_state.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>

using namespace gpucoop::probe;

TEST_CASE("The state of a process is read whatever its name is") {
  const auto state = parse_process_state(
      "4711 (a) b (c) S 7 4711 4700 34816 4711 4194304 1 2 3 4 250 50 0 0 20 0 1 0 12345 1000 100\n");
  REQUIRE(state);
  CHECK(state->pid == 4711);
  CHECK(state->state == 'S');
  CHECK(state->parent == 7);
  CHECK(state->session == 4700);
  CHECK(state->ticks == 300);
  CHECK(state->started == 12345);
  for (const char* const text :
       {"", "4711", "4711 (a", "4711 (a) ", "4711 (a) S", "4711 (a) S 1 2 3 4 5 6 7 8 9 10",
        "x (a) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", ") (  S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_process_state(text));
  }
}

TEST_CASE("This process is seen as the child of its parent") {
  const auto self = process_state(::getpid());
  REQUIRE(self);
  CHECK(self->state == 'R');
  CHECK(self->parent == ::getppid());
  CHECK(self->session == ::getsid(0));
  CHECK_FALSE(process_state(-1));
  const auto all = all_processes();
  const auto below = descendants(all, ::getppid());
  CHECK(std::find(below.begin(), below.end(), ::getpid()) != below.end());
}

TEST_CASE("Descendants are found over several generations, and lists that lie do not loop") {
  const auto process = [](std::int32_t pid, std::int32_t parent, char state) {
    ProcessState made;
    made.pid = pid;
    made.parent = parent;
    made.state = state;
    return made;
  };
  auto found = descendants(
      {process(5, 4, 'S'), process(4, 3, 'Z'), process(3, 2, 'S'), process(9, 1, 'S'), process(2, 5, 'R')}, 2);
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::int32_t>{3, 5});
}
