#include <algorithm>
#include <bit>
#include <cstring>

#include "rank/element.hpp"
#include "rank/pattern_bytes.hpp"
#include "rank/truth.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Mismatch;
using runtime::Pattern;

constexpr std::uint64_t kChunk = 4096;  ///< elements that are compared at a time

/// A sum of rounded shares need not be exact, where the number of ranks is no power of two.
bool near_enough(const Job& job, const std::byte* found, const std::byte* right) {
  if (job.op != collective::ReduceOp::avg || !job.reduces() || !is_floating(job.type) ||
      std::has_single_bit(job.size)) {
    return false;
  }
  const double wanted = to_double(job.type, right);
  const double got = to_double(job.type, found);
  return got >= wanted - job.size * spacing(job.type) * wanted && got <= wanted + job.size * spacing(job.type) * wanted;
}

struct Comparison {
  const Job& job;
  const std::byte* memory;
  std::uint64_t bytes;  ///< of an element
  std::uint64_t guard;
  std::uint64_t at;  ///< where the memory begins, counted from the start of the first guard

  [[nodiscard]] const std::byte* found(std::uint64_t index) const { return memory + (guard + index * bytes - at); }

  [[nodiscard]] bool is_stale(std::uint64_t index, const std::byte* value) const {
    std::byte other[8];
    Job before = job;
    for (unsigned back = 1; back <= 3 && back <= job.round; ++back) {
      before.round = job.round - back;
      fill_expected(before, index, 1, other);
      if (std::memcmp(value, other, bytes) == 0) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_shifted(std::uint64_t index, const std::byte* value) const {
    constexpr std::uint64_t kNear = 16;
    const std::uint64_t from = index < kNear ? 0 : index - kNear;
    const std::uint64_t end = std::min(job.received(), index + kNear + 1);
    std::byte around[(2 * kNear + 1) * 8];
    fill_expected(job, from, end - from, around);
    for (std::uint64_t i = 0; i < end - from; ++i) {
      if (std::memcmp(value, around + i * bytes, bytes) == 0) return true;
    }
    return false;
  }

  void classify(std::uint64_t index, const std::byte* right, Mismatch& out) const {
    const std::byte* const value = found(index);
    if (out.wrong++ == 0) {
      out.first_offset = index * bytes;
      std::memcpy(&out.first_expected, right, std::min<std::uint64_t>(4, bytes));
      std::memcpy(&out.first_found, value, std::min<std::uint64_t>(4, bytes));
    }
    std::byte before[8];
    fill_bytes(poison_of(job), guard + index * bytes, bytes, before);
    const auto all = [&](std::byte every) {
      return std::all_of(value, value + bytes, [&](std::byte b) { return b == every; });
    };
    if (std::memcmp(value, before, bytes) == 0) {
      ++out.lost;
    } else if (is_stale(index, value)) {
      ++out.stale;
    } else if (all(std::byte{0xFF})) {
      ++out.all_ones;
    } else if (all(std::byte{0})) {
      ++out.zero;
    } else if (is_shifted(index, value)) {
      ++out.shifted;
    }
  }
};

}  // namespace

Pattern poison_of(const Job& job) { return Pattern{job.seed ^ 0x0DEADBEFU, job.round + 0x10000U}; }

void fill_poison(const Job& job, std::uint64_t bytes, std::byte* out) { fill_bytes(poison_of(job), 0, bytes, out); }

void check_piece(const Job& job, std::uint64_t guard, std::uint64_t at, const std::byte* memory, std::uint64_t bytes,
                 Mismatch& out) {
  const std::uint64_t element = collective::bytes_of(job.type);
  const std::uint64_t behind = guard + job.received() * element;  ///< where the second guard begins
  const auto end = at + bytes;
  // Where the operand would begin, for indices of all of it.
  const Comparison comparison{job, memory, element, guard, at};
  std::vector<std::byte> right(std::max(kChunk * element, guard));
  const std::uint64_t first = (std::max(at, guard) - guard) / element;
  const std::uint64_t last = end <= guard ? 0 : (std::min(end, behind) - guard) / element;
  for (std::uint64_t from = first; from < last; from += kChunk) {
    const std::uint64_t now = std::min(kChunk, last - from);
    fill_expected(job, from, now, right.data());
    if (std::memcmp(comparison.found(from), right.data(), now * element) == 0) continue;
    for (std::uint64_t i = 0; i < now; ++i) {
      const std::byte* const found = comparison.found(from + i);
      const std::byte* const wanted = right.data() + i * element;
      if (std::memcmp(found, wanted, element) == 0 || near_enough(job, found, wanted)) continue;
      comparison.classify(from + i, wanted, out);
    }
  }
  for (const std::uint64_t start : {std::uint64_t{0}, behind}) {
    const std::uint64_t from = std::max(at, start);
    const std::uint64_t until = std::min(end, start + guard);
    if (from >= until) continue;
    fill_bytes(poison_of(job), from, until - from, right.data());
    for (std::uint64_t i = from; i < until; ++i) {
      if (memory[i - at] != right[i - from]) ++out.guard;
    }
  }
}

Mismatch check_received(const Job& job, const std::byte* memory, std::uint64_t guard) {
  Mismatch out;
  out.checked = job.received();
  check_piece(job, guard, 0, memory, out.checked * collective::bytes_of(job.type) + 2 * guard, out);
  return out;
}

}  // namespace gpucoop::rank
