#include "base/nearest.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;
using Words = std::vector<std::string>;

TEST_CASE("the nearest words come first, far ones never") {
  const Words words = {"tensor", "atomics.state", "atomics.path", "pipeline", "tensor-host-staged"};
  CHECK(nearest("tenso", words, 3).at(0) == "tensor");
  CHECK(nearest("atomic.state", words, 1) == Words{"atomics.state"});
  CHECK(nearest("pipelien", words, 3) == Words{"pipeline"});
  CHECK(nearest("zzzzzzzz", words, 3).empty());
  CHECK(nearest("", words, 3).empty());
}

TEST_CASE("a part of a word finds it") {
  const Words words = {"tensor", "tensor-host-staged", "ddp"};
  CHECK(nearest("host", words, 3) == Words{"tensor-host-staged"});
  CHECK(nearest("dd", words, 3) == Words{"ddp"});
}

TEST_CASE("very long words match nothing") { CHECK(nearest(std::string(100000, 'a'), {"a", "aa"}, 3).empty()); }
