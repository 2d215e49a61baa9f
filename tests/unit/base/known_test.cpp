#include "base/known.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gpucoop;

TEST_CASE("a value that was never set is unknown, not zero") {
  const Known<int> k;
  CHECK(k.is_unknown());
  CHECK(k.reason() == Reason::not_in_input);
  CHECK(k.get() == nullptr);
  CHECK_FALSE(k.is(0));
  CHECK(k.value_or(7) == 7);
}

TEST_CASE("known zero, absent and unknown are three different things") {
  const Known<int> zero(0);
  const auto absent = Known<int>::absent();
  const auto denied = Known<int>::unknown(Reason::no_root);
  CHECK(zero.is(0));
  CHECK_FALSE(absent.is(0));
  CHECK_FALSE(zero == absent);
  CHECK_FALSE(absent == denied);
  CHECK_FALSE(denied == Known<int>::unknown(Reason::truncated));
  CHECK(denied == Known<int>::unknown(Reason::no_root));
  CHECK(to_string(denied.reason()) == "no-root");
}

TEST_CASE("three-valued logic: unknown decides nothing, no and yes may decide alone") {
  CHECK((Tri::no && Tri::unknown) == Tri::no);
  CHECK((Tri::yes && Tri::unknown) == Tri::unknown);
  CHECK((Tri::yes || Tri::unknown) == Tri::yes);
  CHECK((Tri::no || Tri::unknown) == Tri::unknown);
  CHECK(!Tri::unknown == Tri::unknown);
  CHECK(!Tri::no == Tri::yes);
  CHECK(tri(Known<bool>::absent()) == Tri::unknown);
  CHECK(tri(Known<bool>(false)) == Tri::no);
}
