#include "codeobj/msgpack.hpp"

#include <doctest/doctest.h>

#include "codeobj/builders.hpp"

using namespace gpucoop;
using namespace gpucoop::test;
using codeobj::MsgPack;

TEST_CASE("each form of a number, text and count is read") {
  const std::string bytes("\x05\xcc\xff\xcd\x01\x00\xce\x00\x01\x00\x00\xd0\x7f\xa2hi\xd9\x02yo\xda\x00\x01z\x92\x82",
                          27);
  const auto followed = bytes + std::string(8, char(0xc0));
  MsgPack in(as_bytes(followed));
  CHECK(in.number() == 5);
  CHECK(in.number() == 255);
  CHECK(in.number() == 256);
  CHECK(in.number() == 65536);
  CHECK(in.number() == 127);
  CHECK(in.text() == "hi");
  CHECK(in.text() == "yo");
  CHECK(in.text() == "z");
  CHECK(in.array() == 2);
  CHECK(in.map() == 2);
}

TEST_CASE("another kind than what is there moves nothing") {
  const std::string bytes("\xa1x\xff\xd0\x80", 5);
  MsgPack in(as_bytes(bytes));
  CHECK_FALSE(in.number());
  CHECK_FALSE(in.map());
  CHECK_FALSE(in.array());
  CHECK(in.text() == "x");
  CHECK_FALSE(in.number());  // -1
  CHECK(in.skip());
  CHECK_FALSE(in.number());  // -128
  CHECK(in.skip());
  CHECK_FALSE(in.skip());
}

TEST_CASE("a value is passed over whole, however deep") {
  const auto deep = std::string(100'000, '\x91') + "\x01" + "\x07";
  MsgPack in(as_bytes(deep));
  CHECK(in.skip());
  CHECK(in.number() == 7);

  const std::string odd(
      "\xc4\x02zz\xc7\x01\x05z\xd6\x01zzzz\xca\x00\x00\x00\x00\xcb\x00\x00\x00\x00\x00\x00\x00\x00\xc0\xc3\x09", 31);
  MsgPack others(as_bytes(odd));
  for (int i = 0; i < 7; ++i) CHECK(others.skip());
  CHECK(others.number() == 9);
}

TEST_CASE("a count that the bytes cannot hold is none") {
  for (const auto& head :
       {std::string("\xdf\xff\xff\xff\xff", 5), std::string("\xdd\xff\xff\xff\xff", 5),
        std::string("\xdb\xff\xff\xff\xff", 5), std::string("\xc6\xff\xff\xff\xff", 5), std::string("\x83", 1),
        std::string("\x93", 1), std::string("\xcf\x01", 2), std::string("\xc1", 1)}) {
    const auto bytes = head + "\x01\x01";
    MsgPack in(as_bytes(bytes));
    CHECK_FALSE(in.skip());
    CHECK_FALSE(in.map());
    CHECK_FALSE(in.array());
    CHECK_FALSE(in.text());
    CHECK_FALSE(in.number());
  }
}
