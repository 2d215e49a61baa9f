#include "runtime/verify.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace gpucoop::runtime {
namespace {

constexpr std::uint64_t kNear = 16;
constexpr std::uint32_t kRoundsBack = 3;

bool is_stale(std::uint32_t found, std::uint64_t index, const Pattern& expected) {
  for (std::uint32_t back = 1; back <= kRoundsBack && back <= expected.round; ++back) {
    if (found == Pattern{expected.seed, expected.round - back}.word(index)) return true;
  }
  return false;
}

bool is_shifted(std::uint32_t found, std::uint64_t index, std::uint64_t count, const Pattern& expected) {
  const std::uint64_t from = index < kNear ? 0 : index - kNear;
  for (std::uint64_t i = from; i <= index + kNear && i < count; ++i) {
    if (found == expected.word(i)) return true;
  }
  return false;
}

}  // namespace

Mismatch compare(const std::uint32_t* words, std::uint64_t count, const Pattern& expected, const Pattern& before) {
  Mismatch out;
  out.checked = count;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t found = words[i];
    const std::uint32_t right = expected.word(i);
    if (found == right) continue;
    if (out.wrong++ == 0) {
      out.first_offset = i * 4;
      out.first_expected = right;
      out.first_found = found;
    }
    if (found == before.word(i)) {
      ++out.lost;
    } else if (is_stale(found, i, expected)) {
      ++out.stale;
    } else if (found == 0xFFFFFFFFU) {
      ++out.all_ones;
    } else if (found == 0) {
      ++out.zero;
    } else if (is_shifted(found, i, count, expected)) {
      ++out.shifted;
    }
  }
  return out;
}

Mismatch compare_guard(const std::uint32_t* words, std::uint64_t count, const Pattern& before) {
  Mismatch out;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (words[i] != before.word(i)) ++out.guard;
  }
  return out;
}

Mismatch joined(const Mismatch& a, const Mismatch& b) {
  Mismatch out = a.wrong == 0 ? b : a;
  out.checked = a.checked + b.checked;
  out.wrong = a.wrong + b.wrong;
  out.lost = a.lost + b.lost;
  out.stale = a.stale + b.stale;
  out.shifted = a.shifted + b.shifted;
  out.all_ones = a.all_ones + b.all_ones;
  out.zero = a.zero + b.zero;
  out.guard = a.guard + b.guard;
  return out;
}

std::string describe(const Mismatch& m) {
  const std::uint64_t named = m.lost + m.stale + m.shifted + m.all_ones + m.zero;
  const std::array<std::pair<const char*, std::uint64_t>, 7> kinds = {{{"lost", m.lost},
                                                                       {"stale", m.stale},
                                                                       {"shifted", m.shifted},
                                                                       {"all ones", m.all_ones},
                                                                       {"zero", m.zero},
                                                                       {"other", m.wrong > named ? m.wrong - named : 0},
                                                                       {"outside of the range", m.guard}}};
  std::string out;
  for (const auto& kind : kinds) {
    if (kind.second != 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", kind.first, kind.second);
  }
  if (m.wrong != 0) {
    out += fmt::format("; first at byte {}: {:#010x} instead of {:#010x}", m.first_offset, m.first_found,
                       m.first_expected);
  }
  return out;
}

}  // namespace gpucoop::runtime
