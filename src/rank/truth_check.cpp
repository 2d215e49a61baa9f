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
  const std::byte* values;
  std::uint64_t bytes;

  [[nodiscard]] bool is_stale(std::uint64_t index, const std::byte* found) const {
    std::byte other[8];
    Job before = job;
    for (unsigned back = 1; back <= 3 && back <= job.round; ++back) {
      before.round = job.round - back;
      fill_expected(before, index, 1, other);
      if (std::memcmp(found, other, bytes) == 0) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_shifted(std::uint64_t index, const std::byte* found) const {
    constexpr std::uint64_t kNear = 16;
    const std::uint64_t from = index < kNear ? 0 : index - kNear;
    const std::uint64_t end = std::min(job.received(), index + kNear + 1);
    std::byte around[(2 * kNear + 1) * 8];
    fill_expected(job, from, end - from, around);
    for (std::uint64_t i = 0; i < end - from; ++i) {
      if (std::memcmp(found, around + i * bytes, bytes) == 0) return true;
    }
    return false;
  }

  void classify(std::uint64_t index, const std::byte* right, std::uint64_t guard, Mismatch& out) const {
    const std::byte* const found = values + index * bytes;
    if (out.wrong++ == 0) {
      out.first_offset = index * bytes;
      std::memcpy(&out.first_expected, right, std::min<std::uint64_t>(4, bytes));
      std::memcpy(&out.first_found, found, std::min<std::uint64_t>(4, bytes));
    }
    std::byte before[8];
    fill_bytes(poison_of(job), guard + index * bytes, bytes, before);
    const auto all = [&](std::byte value) {
      return std::all_of(found, found + bytes, [&](std::byte b) { return b == value; });
    };
    if (std::memcmp(found, before, bytes) == 0) {
      ++out.lost;
    } else if (is_stale(index, found)) {
      ++out.stale;
    } else if (all(std::byte{0xFF})) {
      ++out.all_ones;
    } else if (all(std::byte{0})) {
      ++out.zero;
    } else if (is_shifted(index, found)) {
      ++out.shifted;
    }
  }
};

}  // namespace

Pattern poison_of(const Job& job) { return Pattern{job.seed ^ 0x0DEADBEFU, job.round + 0x10000U}; }

void fill_poison(const Job& job, std::uint64_t bytes, std::byte* out) { fill_bytes(poison_of(job), 0, bytes, out); }

Mismatch check_received(const Job& job, const std::byte* memory, std::uint64_t guard) {
  const std::uint64_t element = collective::bytes_of(job.type);
  const std::uint64_t count = job.received();
  Mismatch out;
  out.checked = count;
  const Comparison comparison{job, memory + guard, element};
  std::vector<std::byte> right(std::max(kChunk * element, guard));
  for (std::uint64_t first = 0; first < count; first += kChunk) {
    const std::uint64_t now = std::min(kChunk, count - first);
    fill_expected(job, first, now, right.data());
    if (std::memcmp(comparison.values + first * element, right.data(), now * element) == 0) continue;
    for (std::uint64_t i = 0; i < now; ++i) {
      const std::byte* const found = comparison.values + (first + i) * element;
      const std::byte* const wanted = right.data() + i * element;
      if (std::memcmp(found, wanted, element) == 0 || near_enough(job, found, wanted)) continue;
      comparison.classify(first + i, wanted, guard, out);
    }
  }
  const auto compare_guard = [&](std::uint64_t offset) {
    fill_bytes(poison_of(job), offset, guard, right.data());
    for (std::uint64_t i = 0; i < guard; ++i) {
      if (memory[offset + i] != right[i]) ++out.guard;
    }
  };
  compare_guard(0);
  compare_guard(guard + count * element);
  return out;
}

}  // namespace gpucoop::rank
