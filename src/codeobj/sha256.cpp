#include "codeobj/sha256.hpp"

#include <algorithm>
#include <bit>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace gpucoop::codeobj {
namespace {

constexpr std::size_t kBlock = 64;

alignas(16) constexpr std::array<std::uint32_t, 64> kRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void plain(State& state, const std::uint8_t* data, std::size_t blocks) {
  for (; blocks > 0; --blocks, data += kBlock) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
      w[i] = static_cast<std::uint32_t>(data[4 * i]) << 24 | static_cast<std::uint32_t>(data[4 * i + 1]) << 16 |
             static_cast<std::uint32_t>(data[4 * i + 2]) << 8 | data[4 * i + 3];
    }
    for (std::size_t i = 16; i < 64; ++i) {
      const auto s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
      const auto s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const auto t1 =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
      const auto t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const State add{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
  }
}

#if defined(__x86_64__)

bool has_instructions() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned kSha = 1U << 29;
  constexpr unsigned kSse41 = 1U << 19;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & kSha) == 0) return false;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & kSse41) != 0;
}

/// The instructions keep the state as ABEF and CDGH, and do two rounds each.
__attribute__((target("sha,sse4.1"))) void with_instructions(State& state, const std::uint8_t* data,
                                                             std::size_t blocks) {
  const auto swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* words = reinterpret_cast<__m128i*>(state.data());
  const auto low = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);       // CDAB
  const auto high = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);  // EFGH
  auto abef = _mm_alignr_epi8(low, high, 8);
  auto cdgh = _mm_blend_epi16(high, low, 0xf0);
  const auto* rounds = reinterpret_cast<const __m128i*>(kRounds.data());
  for (; blocks > 0; --blocks, data += kBlock) {
    const auto abef_before = abef;
    const auto cdgh_before = cdgh;
    __m128i w[4];
    const auto* in = reinterpret_cast<const __m128i*>(data);
    for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(_mm_loadu_si128(in + i), swap);
    for (int i = 0; i < 16; ++i) {
      auto& now = w[i & 3];
      if (i >= 4) {
        const auto one = w[(i + 3) & 3];
        now = _mm_sha256msg1_epu32(now, w[(i + 1) & 3]);
        now = _mm_add_epi32(now, _mm_alignr_epi8(one, w[(i + 2) & 3], 4));
        now = _mm_sha256msg2_epu32(now, one);
      }
      auto add = _mm_add_epi32(now, _mm_load_si128(rounds + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, add);
      add = _mm_shuffle_epi32(add, 0x0e);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, add);
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const auto feba = _mm_shuffle_epi32(abef, 0x1b);
  const auto dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#endif

void compress(State& state, const std::uint8_t* data, std::size_t blocks, bool portable) {
#if defined(__x86_64__)
  static const bool kFast = has_instructions();
  if (kFast && !portable) return with_instructions(state, data, blocks);
#else
  static_cast<void>(portable);
#endif
  plain(state, data, blocks);
}

}  // namespace

void Sha256::add(std::span<const std::uint8_t> bytes) {
  size_ += bytes.size();
  if (filled_ > 0) {
    const auto n = std::min(kBlock - filled_, bytes.size());
    std::copy_n(bytes.begin(), n, block_.begin() + static_cast<std::ptrdiff_t>(filled_));
    filled_ += n;
    bytes = bytes.subspan(n);
    if (filled_ < kBlock) return;
    compress(state_, block_.data(), 1, portable_);
    filled_ = 0;
  }
  const auto blocks = bytes.size() / kBlock;
  compress(state_, bytes.data(), blocks, portable_);
  bytes = bytes.subspan(blocks * kBlock);
  std::ranges::copy(bytes, block_.begin());
  filled_ = bytes.size();
}

std::string Sha256::finish() {
  const auto bits = size_ * 8;
  const std::array<std::uint8_t, kBlock> padding{0x80};
  add(std::span(padding).first(filled_ < kBlock - 8 ? kBlock - 8 - filled_ : 2 * kBlock - 8 - filled_));
  std::array<std::uint8_t, 8> length{};
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  add(length);
  std::string text;
  for (const auto word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  }
  return text;
}

}  // namespace gpucoop::codeobj
