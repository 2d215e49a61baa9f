#include "base/address.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;

TEST_CASE("addresses are read with and without a domain and written with one") {
  const auto a = parse_address("0b:00.0");
  REQUIRE(a);
  CHECK(to_string(*a) == "0000:0b:00.0");
  CHECK(short_form(*a) == "0b:00.0");
  CHECK(to_string(parse_address("10000:E1:1f.7").value()) == "10000:e1:1f.7");
  CHECK(to_string(parse_address("000d:00:00.0").value()) == "000d:00:00.0");
}

TEST_CASE("what is no address is refused") {
  for (const char* text : {"", "0b:00", "0b:00.8", "0b:20.0", "b:00.0", "0b:00.0x", "000:0b:00.0", "123456789:0b:00.0",
                           "0b:00.", "0b 00.0", "00:0b:00.0"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_address(text));
  }
}

TEST_CASE("a prefix ends where the word ends") {
  std::size_t length = 0;
  REQUIRE(parse_address_prefix("0000:03:00.0: reset", length));
  CHECK(length == 12);
  CHECK_FALSE(parse_address_prefix("03:00.01", length));
}

TEST_CASE("a simulated device has a name of its own, and no PCI address is taken for one") {
  CHECK(to_string(gpucoop::simulated_device(0)) == "host:0");
  CHECK(to_string(gpucoop::simulated_device(300)) == "host:300");
  CHECK(short_form(gpucoop::simulated_device(11)) == "host:11");
  CHECK(gpucoop::parse_device("host:11") == gpucoop::simulated_device(11));
  CHECK(gpucoop::parse_device("0b:00.0") == gpucoop::parse_address("0000:0b:00.0"));
  for (const char* text : {"host:", "host:x", "host:01", "host:65536", "host:1 ", "Host:1"}) {
    CHECK_MESSAGE(!gpucoop::parse_device(text), text);
  }
  CHECK_FALSE(gpucoop::parse_address("host:1"));
  CHECK_FALSE(gpucoop::parse_address("ffffffff:00:00.1"));
  CHECK(gpucoop::parse_address("fffffffe:00:00.1"));
  CHECK_FALSE(is_simulated(*gpucoop::parse_address("fffffffe:00:00.1")));
}
