#pragma once

#include <cstdint>

namespace gpucoop::runtime::cuda {

/// The device code, as PTX text that every driver compiles for its GPU: PTX ISA 6.0 for sm_60, the first with atomics
/// of system scope. Kernels, with their parameters in order:
///   gpucoop_dispatch   u64 to, u32 value
///   gpucoop_store      u64 to, u64 words, u32 seed, u32 round
///   gpucoop_load       u64 to, u64 from, u64 words
///   gpucoop_verify     u64 from, u64 words, u32 seed, u32 round, u32 old seed, u32 old round, u64 VerifyResult
///   gpucoop_handshake  u64 own, u64 other, u32 side, u32 rounds, u64 limit in ns, u64 HandshakeResult
///   gpucoop_count      u64 counter, u32 times
///   gpucoop_spin       u64 ns
/// Every loop ends by a count or by the device's clock.
[[nodiscard]] const char* ptx();

/// Of gpucoop_verify, counted up from what it holds before. Kinds are exclusive, in this order of precedence: all ones,
/// zero, lost, stale, shifted.
struct VerifyResult {
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  std::uint64_t lost = 0;
  std::uint64_t stale = 0;
  std::uint64_t shifted = 0;
  std::uint64_t all_ones = 0;
  std::uint64_t zero = 0;
  std::uint64_t first = ~std::uint64_t{0};  ///< index of the first wrong word in the upper half, the word in the lower
};
/// Indices of VerifyResult::first have 32 bits.
constexpr std::uint64_t kMostVerifyWords = std::uint64_t{1} << 32U;

struct HandshakeResult {
  std::uint32_t rounds = 0;
  std::uint32_t unused = 0;
  std::uint64_t wrong = 0;
  std::uint64_t nanoseconds = 0;
};
/// The payload: this many words of Pattern{kPayloadSeed + side, round}, at this distance from the flag. The flag is the
/// round, counted from 1.
constexpr std::uint32_t kPayloadWords = 16;
constexpr std::uint64_t kPayloadOffset = 64;
constexpr std::uint32_t kPayloadSeed = 0x6A5D39E1U;

}  // namespace gpucoop::runtime::cuda
