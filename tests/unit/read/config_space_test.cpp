#include "read/config/config_space.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "config_builder.hpp"

using namespace gpucoop;
using gpucoop::test::ConfigBuilder;

namespace {

std::vector<std::uint8_t> counting(std::size_t n) {
  std::vector<std::uint8_t> v(n);
  std::iota(v.begin(), v.end(), std::uint8_t{0});
  return v;
}

HexRow row_of(std::uint16_t offset, std::uint8_t first, unsigned present, HexRow::State state) {
  HexRow row;
  row.offset = offset;
  for (std::size_t i = 0; i < row.bytes.size(); ++i) row.bytes[i] = static_cast<std::uint8_t>(first + i);
  row.present = static_cast<std::uint16_t>(present);
  row.state = state;
  return row;
}

}  // namespace

TEST_CASE("registers are little-endian and end with the reading") {
  ConfigSpace s;
  s.assign(counting(64));
  CHECK(s.extent() == 64);
  CHECK(s.u8(0) == 0x00);
  CHECK(s.u8(63) == 0x3f);
  CHECK(s.u16(0x3e) == 0x3f3e);
  CHECK(s.u32(0x3c) == 0x3f3e3d3c);
  CHECK_FALSE(s.u8(64));
  CHECK_FALSE(s.u16(63));
  CHECK_FALSE(s.u32(61));
}

TEST_CASE("offsets beyond configuration space are nothing") {
  ConfigSpace s;
  s.assign(counting(5000));
  CHECK(s.extent() == 4096);
  CHECK(s.u32(4092) == 0xfffefdfc);
  for (const std::size_t at : {std::size_t{4093}, std::size_t{4096}, std::size_t{1} << 40, ~std::size_t{0}}) {
    CHECK_FALSE(s.u32(at));
    CHECK_FALSE(s.u16(at == 4093 ? 4095 : at));
    CHECK((at == 4093 || !s.u8(at)));
  }
}

TEST_CASE("a register across two rows needs both") {
  ConfigSpace s;
  s.add(row_of(0x40, 0x40, 0xffff, HexRow::State::whole));
  CHECK(s.u16(0x4e) == 0x4f4e);
  CHECK_FALSE(s.u16(0x4f));
  s.add(row_of(0x50, 0x50, 0xffff, HexRow::State::whole));
  CHECK(s.u16(0x4f) == 0x504f);
  CHECK(s.u32(0x4e) == 0x51504f4e);
}

TEST_CASE("a missing row is neither zeros nor ones, and says so") {
  const auto s = ConfigBuilder(256).space_without({0x80});
  CHECK(s.u8(0x7f) == 0);
  CHECK_FALSE(s.u8(0x80));
  CHECK_FALSE(s.u8(0x8f));
  CHECK(s.u8(0x90) == 0);
  CHECK(s.why_missing(0x80) == Reason::not_in_input);
}

TEST_CASE("why the end is missing follows from where it is") {
  const ConfigBuilder b;
  CHECK(b.space(64).why_missing(0x40) == Reason::no_root);
  CHECK(b.space(256).why_missing(0x100) == Reason::not_in_input);
  CHECK(b.space(128).why_missing(0x80) == Reason::truncated);
  CHECK(b.space(0x2d0).why_missing(0x2d0) == Reason::truncated);
  CHECK(ConfigBuilder().u8(0x0e, 2).space(128).why_missing(0x80) == Reason::no_root);
  ConfigSpace listing(Reason::not_in_input);
  listing.assign(counting(64));
  CHECK(listing.why_missing(0x40) == Reason::not_in_input);
}

TEST_CASE("bytes that a damaged row leaves out are damaged") {
  ConfigSpace s;
  s.add(row_of(0x80, 0x80, 0x000f, HexRow::State::damaged));
  s.add(row_of(0x90, 0x90, 0xffff, HexRow::State::whole));
  CHECK(s.u32(0x80) == 0x83828180);
  CHECK_FALSE(s.u8(0x84));
  CHECK(s.why_missing(0x84) == Reason::damaged);
  CHECK(s.why_missing(0x80, 8) == Reason::damaged);
}

TEST_CASE("a short row counts only at the end") {
  ConfigSpace s;
  s.add(row_of(0x80, 0x80, 0x00ff, HexRow::State::short_));
  CHECK(s.extent() == 0x88);
  CHECK(s.u8(0x87) == 0x87);
  CHECK(s.why_missing(0x88) == Reason::truncated);
  s.add(row_of(0x90, 0x90, 0xffff, HexRow::State::whole));
  CHECK_FALSE(s.u8(0x80));
  CHECK(s.why_missing(0x80) == Reason::damaged);
}

TEST_CASE("two rows for one offset must agree") {
  ConfigSpace s;
  s.add(row_of(0x80, 0x80, 0xffff, HexRow::State::whole));
  s.add(row_of(0x80, 0x80, 0xffff, HexRow::State::whole));
  CHECK(s.u8(0x80) == 0x80);
  s.add(row_of(0x80, 0x81, 0xffff, HexRow::State::whole));
  CHECK_FALSE(s.u8(0x80));
  CHECK(s.why_missing(0x80) == Reason::damaged);
  s.add(row_of(0x80, 0x80, 0xffff, HexRow::State::whole));
  CHECK_FALSE(s.u8(0x80));
}

TEST_CASE("a row with a bad offset changes nothing") {
  ConfigSpace s;
  s.add(row_of(0x0, 0x80, 0, HexRow::State::bad_offset));
  CHECK(s.empty());
}

TEST_CASE("a cleared space holds nothing of what was there") {
  ConfigSpace s;
  s.assign(counting(4096));
  s.clear();
  CHECK(s.empty());
  CHECK_FALSE(s.u8(0));
  CHECK_FALSE(s.u8(4095));
  s.add(row_of(0x0, 0, 0xffff, HexRow::State::whole));
  CHECK(s.extent() == 16);
  CHECK_FALSE(s.u8(16));
}
