#include "read/config/hex_row.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace gpucoop;
using State = HexRow::State;

namespace {

std::vector<int> bytes_of(const HexRow& row) {
  std::vector<int> out;
  for (std::size_t i = 0; i < row.bytes.size(); ++i) out.push_back((row.present >> i & 1) != 0 ? row.bytes[i] : -1);
  return out;
}

const std::vector<int> kCounting{0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
                                 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f};

}  // namespace

TEST_CASE("a whole row gives its offset and sixteen bytes") {
  for (const char* line : {
           "1f0: 80 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f",
           "  \t1f0: 80 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f",
           "1F0: 80 81 82 83 84 85 86 87 88 89 8A 8B 8C 8D 8E 8F",
           "1f0: 80 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f\r\n",
           "1f0: 80 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f   ",
           "1f0: 80 81 82 83 84 85 86 87  88 89 8a 8b 8c 8d 8e 8f  |................|",
           "1f0: 80 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f ab",
           "1f0: <b>80</b> 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f</pre>",
           "1f0: **80** 81 82 83 84 85 86 87 88 89 8a 8b 8c `8d` 8e 8f",
           "1f0: <span style=\"color: red\">80 81</span> 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f",
           "1f0:\t80\t81\t82\t83\t84\t85\t86\t87\t88\t89\t8a\t8b\t8c\t8d\t8e\t8f",
       }) {
    CAPTURE(line);
    const auto row = parse_hex_row(line);
    REQUIRE(row);
    CHECK(row->offset == 0x1f0);
    CHECK(row->state == State::whole);
    CHECK(bytes_of(*row) == kCounting);
  }
}

TEST_CASE("the first and the last possible offset are rows") {
  const std::string bytes(" 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
  CHECK(parse_hex_row("00:" + bytes).value().offset == 0);
  CHECK(parse_hex_row("ff0:" + bytes).value().offset == 0xff0);
  CHECK(parse_hex_row("0ff0:" + bytes).value().offset == 0xff0);
}

TEST_CASE("an offset that no configuration space has gives no byte") {
  const std::string bytes(" 86 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
  for (const char* offset : {"1000:", "fff:", "08:", "801:", "12345670:", "ffffffff:"}) {
    CAPTURE(offset);
    const auto row = parse_hex_row(offset + bytes);
    REQUIRE(row);
    CHECK(row->state == State::bad_offset);
    CHECK(row->present == 0);
  }
}

TEST_CASE("glued and torn bytes are repaired where exactly 32 digits make up the row") {
  for (const char* line : {
           "80: 8081 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f",
           "80: 80 81 82 838485 86 87 88 89 8a 8b 8c 8d 8e 8f",
           "80: 8 0 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f",
           "80: 80 81 82 83 84 85 86 87 88 89 8a 8b 8c <i>8d8e</i> 8f",
       }) {
    CAPTURE(line);
    const auto row = parse_hex_row(line);
    REQUIRE(row);
    CHECK(row->state == State::repaired);
    CHECK(bytes_of(*row) == kCounting);
  }
}

TEST_CASE("a damaged row keeps only the bytes before the damage") {
  const std::vector<int> first_four{0x80, 0x81, 0x82, 0x83, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  for (const char* line : {
           "80: 80 81 82 83 8485 86 87 88 89 8a 8b 8c 8d 8e",      // glued, and one byte lost
           "80: 80 81 82 83 8 85 86 87 88 89 8a 8b 8c 8d 8e 8f",   // half a byte lost
           "80: 80 81 82 83 84850 86 87 88 89 8a 8b 8c 8d 8e 8f",  // one digit too many
           "80: 80 81 82 83 ... 8d 8e 8f",                         // left out by a person
           "80: 80 81 82 83 8x 85 86",                             // unreadable, and the end is missing
           "80: 80 81 82 83        84 85 86 87 88 89 8a 8b 8c 8d 8e 8f",
       }) {
    CAPTURE(line);
    const auto row = parse_hex_row(line);
    REQUIRE(row);
    CHECK(row->state == State::damaged);
    CHECK(bytes_of(*row) == first_four);
  }
}

TEST_CASE("an unreadable byte among sixteen is left out and the others stand") {
  auto expected = kCounting;
  expected[4] = -1;
  const auto row = parse_hex_row("80: 80 81 82 83 ?? 85 86 87 88 89 8a 8b 8c 8d 8e 8f");
  REQUIRE(row);
  CHECK(row->state == State::damaged);
  CHECK(bytes_of(*row) == expected);
}

TEST_CASE("a row that ends early is short") {
  const auto row = parse_hex_row("f0: 80 81 82 83 84");
  REQUIRE(row);
  CHECK(row->state == State::short_);
  CHECK(row->present == 0x1f);
  const auto torn = parse_hex_row("f0: 80 81 82 83 84 8");
  REQUIRE(torn);
  CHECK(torn->state == State::short_);
  CHECK(torn->present == 0x1f);
}

TEST_CASE("other text is no row") {
  for (const char* line : {
           "",
           ":",
           "00:",
           "00: ",
           "00:01.0 VGA compatible controller: Advanced Micro Devices",
           "0000:00:01.0 PCI bridge",
           "03: foo",
           "10: 20 GB",
           "10: be",
           "IOMMU group 12",
           "ad: be ef is no row",
           "a0: bad idea",
           "20:15:01 up 3 days",
           " 16:          0          0          0          0   IO-APIC  16-fasteoi   i801_smbus",
           " 30:   12345678   12345678   12345678   12345678  IR-PCI-MSI 524288-edge",
           " 30:         12         34         56         78         90         12         34  IR-PCI-MSI",
           "40: 00000000000000000000000000000000",
           "08: 30 00 00 00",
           "1f0 80 81 82 83",
           "x0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
           "123456789: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
           "1: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
       }) {
    CAPTURE(line);
    CHECK_FALSE(parse_hex_row(line));
  }
}

TEST_CASE("no prefix of a row gives a byte that the row does not have") {
  const std::string line = "80: <b>80</b> 81 82 83 84 85 86 87 88 89 8a 8b 8c 8d 8e 8f";
  for (std::size_t n = 0; n <= line.size(); ++n) {
    CAPTURE(n);
    const auto row = parse_hex_row(std::string_view(line).substr(0, n));
    if (!row) continue;
    const auto bytes = bytes_of(*row);
    for (std::size_t i = 0; i < bytes.size(); ++i) CHECK((bytes[i] == -1 || bytes[i] == kCounting[i]));
  }
}
