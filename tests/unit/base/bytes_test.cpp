#include "base/bytes.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>

using namespace gpucoop;

TEST_CASE("bytes are read little-endian and never beyond the end") {
  const std::array<std::uint8_t, 5> raw{0x01, 0x02, 0x03, 0x04, 0xff};
  const ByteView view(raw);
  CHECK(view.u8(4).value() == 0xff);
  CHECK(view.u16(0).value() == 0x0201);
  CHECK(view.u32(1).value() == 0xff040302u);
  CHECK_FALSE(view.u8(5));
  CHECK_FALSE(view.u16(4));
  CHECK_FALSE(view.u32(2));
  CHECK_FALSE(view.u32(std::numeric_limits<std::size_t>::max()));
  CHECK_FALSE(view.u32(std::numeric_limits<std::size_t>::max() - 3));
  CHECK_FALSE(ByteView().u8(0));
}
