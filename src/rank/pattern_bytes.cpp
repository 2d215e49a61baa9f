#include "rank/pattern_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gpucoop::rank {
namespace {

using runtime::Pattern;

/// Of a number that is known beforehand, compilers make several at once.
constexpr unsigned kBlock = 64;

using FillBlocks = void (*)(std::uint32_t lower, std::uint32_t start, std::uint64_t blocks, std::uint32_t* out);

[[gnu::always_inline]] inline void fill_blocks(std::uint32_t lower, std::uint32_t start, std::uint64_t blocks,
                                               std::uint32_t* out) {
  for (std::uint64_t block = 0; block < blocks; ++block, lower += kBlock, out += kBlock) {
    for (unsigned i = 0; i < kBlock; ++i) out[i] = Pattern::word(lower + i, start);
  }
}

void fill_plain(std::uint32_t lower, std::uint32_t start, std::uint64_t blocks, std::uint32_t* out) {
  fill_blocks(lower, start, blocks, out);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void fill_avx2(std::uint32_t lower, std::uint32_t start, std::uint64_t blocks,
                                       std::uint32_t* out) {
  fill_blocks(lower, start, blocks, out);
}

FillBlocks fastest() { return __builtin_cpu_supports("avx2") != 0 ? fill_avx2 : fill_plain; }
#else
FillBlocks fastest() { return fill_plain; }
#endif

}  // namespace

void fill_words(const Pattern& pattern, std::uint64_t first, std::uint64_t count, std::uint32_t* out) {
  static const FillBlocks fill = fastest();
  while (count > 0) {
    const std::uint64_t same_upper_half = (std::uint64_t{1} << 32U) - (first & 0xFFFFFFFFU);
    const std::uint64_t now = std::min(count, same_upper_half);
    const std::uint64_t whole = now / kBlock * kBlock;
    fill(static_cast<std::uint32_t>(first), pattern.start(first), whole / kBlock, out);
    for (std::uint64_t i = whole; i < now; ++i) out[i] = pattern.word(first + i);
    first += now;
    count -= now;
    out += now;
  }
}

void fill_bytes(const Pattern& pattern, std::uint64_t first, std::uint64_t bytes, std::byte* out) {
  std::uint64_t done = 0;
  std::array<std::uint32_t, 16 * kBlock> words;
  while (first % 4 == 0 && bytes - done >= 4) {
    const std::uint64_t now = std::min<std::uint64_t>(words.size(), (bytes - done) / 4);
    fill_words(pattern, (first + done) / 4, now, words.data());
    std::memcpy(out + done, words.data(), now * 4);
    done += now * 4;
  }
  while (done < bytes) {
    const std::uint64_t at = first + done;
    const std::uint32_t word = pattern.word(at / 4);
    const std::uint64_t part = std::min(4 - at % 4, bytes - done);
    std::byte raw[4];
    std::memcpy(raw, &word, 4);
    std::memcpy(out + done, raw + at % 4, part);
    done += part;
  }
}

}  // namespace gpucoop::rank
