#include "collective/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace gpucoop::collective {
namespace {

TEST_CASE("every float16 and bfloat16 comes back from float as it was") {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto value = static_cast<std::uint16_t>(bits);
    CAPTURE(bits);
    if (std::isnan(from_float16(value))) {
      REQUIRE(std::isnan(from_float16(to_float16(from_float16(value)))));
    } else {
      REQUIRE(to_float16(from_float16(value)) == value);
    }
    if (std::isnan(from_bfloat16(value))) {
      REQUIRE(std::isnan(from_bfloat16(to_bfloat16(from_bfloat16(value)))));
    } else {
      REQUIRE(to_bfloat16(from_bfloat16(value)) == value);
    }
  }
}

TEST_CASE("what lies between two values goes to the nearer one, and from the middle to the even one") {
  for (std::uint32_t bits = 0; bits < 0x7BFFU; ++bits) {
    const float low = from_float16(static_cast<std::uint16_t>(bits));
    const float high = from_float16(static_cast<std::uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;
    CAPTURE(bits);
    REQUIRE(to_float16(middle) == (bits % 2 == 0 ? bits : bits + 1));
    REQUIRE(to_float16(std::nextafter(middle, low)) == bits);
    REQUIRE(to_float16(std::nextafter(middle, high)) == bits + 1);
    REQUIRE(to_float16(-middle) == (0x8000U | (bits % 2 == 0 ? bits : bits + 1)));
  }
  for (std::uint32_t bits = 0; bits < 0x7F7FU; ++bits) {
    const float low = from_bfloat16(static_cast<std::uint16_t>(bits));
    const float high = from_bfloat16(static_cast<std::uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;
    CAPTURE(bits);
    REQUIRE(to_bfloat16(middle) == (bits % 2 == 0 ? bits : bits + 1));
    REQUIRE(to_bfloat16(std::nextafter(middle, high)) == bits + 1);
  }
}

TEST_CASE("the ends of float16") {
  CHECK(to_float16(1.0F) == 0x3C00);
  CHECK(to_float16(-2.0F) == 0xC000);
  CHECK(to_float16(65504.0F) == 0x7BFF);
  CHECK(to_float16(65519.9F) == 0x7BFF);
  CHECK(to_float16(65520.0F) == 0x7C00);
  CHECK(to_float16(std::numeric_limits<float>::infinity()) == 0x7C00);
  CHECK(to_float16(0x1p-24F) == 1);
  CHECK(to_float16(0x1p-25F) == 0);
  CHECK(to_float16(0x1.000002p-25F) == 1);
  CHECK(to_float16(-0.0F) == 0x8000);
}

}  // namespace
}  // namespace gpucoop::collective
