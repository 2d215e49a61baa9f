#include "runtime/verify.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace gpucoop::runtime {
namespace {

constexpr Pattern kExpected{42, 7};
constexpr Pattern kBefore{4711, 7};

std::vector<std::uint32_t> words(const Pattern& pattern, std::uint64_t count) {
  std::vector<std::uint32_t> out;
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(pattern.word(i));
  return out;
}

Mismatch compare_all(const std::vector<std::uint32_t>& found) {
  return compare(found.data(), found.size(), kExpected, kBefore);
}

TEST_CASE("right data are right") {
  const auto mismatch = compare_all(words(kExpected, 1000));
  CHECK(mismatch.right());
  CHECK(mismatch.checked == 1000);
  CHECK(describe(mismatch).empty());
}

TEST_CASE("nothing compared is not right") { CHECK_FALSE(compare_all({}).right()); }

TEST_CASE("words that never arrived are lost") {
  auto found = words(kExpected, 1000);
  for (std::size_t i = 500; i < 512; ++i) found[i] = kBefore.word(i);
  const auto mismatch = compare_all(found);
  CHECK_FALSE(mismatch.right());
  CHECK(mismatch.wrong == 12);
  CHECK(mismatch.lost == 12);
  CHECK(mismatch.first_offset == 2000);
  CHECK(mismatch.first_expected == kExpected.word(500));
  CHECK(mismatch.first_found == kBefore.word(500));
}

TEST_CASE("words of one of three rounds before are stale, older ones are not") {
  auto found = words(kExpected, 100);
  found[3] = Pattern{42, 6}.word(3);
  found[4] = Pattern{42, 4}.word(4);
  found[5] = Pattern{42, 3}.word(5);
  const auto mismatch = compare_all(found);
  CHECK(mismatch.wrong == 3);
  CHECK(mismatch.stale == 2);
}

TEST_CASE("words within sixteen places are shifted, those further away are not") {
  auto found = words(kExpected, 100);
  found[50] = kExpected.word(34);
  found[51] = kExpected.word(67);
  found[52] = kExpected.word(69);
  found[0] = kExpected.word(1);
  const auto mismatch = compare_all(found);
  CHECK(mismatch.wrong == 4);
  CHECK(mismatch.shifted == 3);
}

TEST_CASE("a buffer that is one word off is all shifted") {
  auto found = words(kExpected, 101);
  found.erase(found.begin());
  const auto mismatch = compare_all(found);
  CHECK(mismatch.wrong == 100);
  // The last word would belong behind the end.
  CHECK(mismatch.shifted == 99);
}

TEST_CASE("aborted reads and zeros have their own kinds") {
  auto found = words(kExpected, 10);
  found[1] = 0xFFFFFFFFU;
  found[2] = 0;
  found[3] = 0;
  const auto mismatch = compare_all(found);
  CHECK(mismatch.all_ones == 1);
  CHECK(mismatch.zero == 2);
  CHECK(mismatch.wrong == 3);
}

TEST_CASE("guards that changed are counted by themselves") {
  auto guard = words(kBefore, 64);
  CHECK(compare_guard(guard.data(), guard.size(), kBefore).guard == 0);
  guard[63] ^= 1U;
  const auto changed = compare_guard(guard.data(), guard.size(), kBefore);
  CHECK(changed.guard == 1);
  CHECK(changed.wrong == 0);
  const auto whole = joined(compare_all(words(kExpected, 10)), changed);
  CHECK(whole.checked == 10);
  CHECK_FALSE(whole.right());
  CHECK(describe(whole) == "outside of the range 1");
}

TEST_CASE("what is wrong is told in one line") {
  Mismatch mismatch;
  mismatch.checked = 100;
  mismatch.wrong = 16;
  mismatch.lost = 12;
  mismatch.stale = 3;
  mismatch.first_offset = 4096;
  mismatch.first_expected = 0xCAFE;
  mismatch.first_found = 0xBEEF;
  CHECK(describe(mismatch) == "lost 12, stale 3, other 1; first at byte 4096: 0x0000beef instead of 0x0000cafe");
}

TEST_CASE("patterns are never 0 nor all ones and differ by seed, round and place") {
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const auto word = kExpected.word(i);
    REQUIRE(word != 0);
    REQUIRE(word != 0xFFFFFFFFU);
  }
  CHECK(Pattern{1, 1}.word(5) != Pattern{2, 1}.word(5));
  CHECK(Pattern{1, 1}.word(5) != Pattern{1, 2}.word(5));
  CHECK(Pattern{1, 1}.word(5) != Pattern{1, 1}.word(6));
  CHECK(Pattern{1, 1}.word(5) != Pattern{1, 1}.word(5 + (std::uint64_t{1} << 32U)));
}

}  // namespace
}  // namespace gpucoop::runtime
