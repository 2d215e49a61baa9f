#pragma once

#include <cstdint>
#include <cstdlib>

namespace gpucoop::runtime {

/// Test data of which every 32-bit word differs by where it belongs, where it comes from and when it was written, so
/// that lost, stale, repeated and shifted words show (facts: nvidia-and-pcie 7.6).
struct Pattern {
  std::uint32_t seed = 1;   ///< of this run, buffer and direction
  std::uint32_t round = 0;  ///< rounds before it are what stale data look like

  /// The word at `index`; never 0 and never all ones. Device kernels compute the same function.
  [[nodiscard]] constexpr std::uint32_t word(std::uint64_t index) const {
    return word(static_cast<std::uint32_t>(index), start(index));
  }

  /// What all words share whose index has the same upper half.
  [[nodiscard]] constexpr std::uint32_t start(std::uint64_t index) const {
    std::uint32_t x = static_cast<std::uint32_t>(index >> 32U) * 0x85EBCA77U;
    x ^= seed * 0xC2B2AE3DU;
    return x ^ round * 0x27D4EB2FU;
  }
  /// The word at an index with this lower half.
  [[nodiscard]] static constexpr std::uint32_t word(std::uint32_t lower, std::uint32_t start) {
    // Two rounds of the finalizer of MurmurHash3 (public domain).
    std::uint32_t x = lower * 0x9E3779B1U ^ start;
    x ^= x >> 16U;
    x *= 0x85EBCA6BU;
    x ^= x >> 13U;
    x *= 0xC2B2AE35U;
    x ^= x >> 16U;
    if (x == 0) return 0x5A5A5A5AU;
    if (x == 0xFFFFFFFFU) return 0xA5A5A5A5U;
    return x;
  }
};

/// What a buffer holds instead of what it should. All counts are 32-bit words.
struct Mismatch {
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;     ///< all of them; the kinds below are parts of it
  std::uint64_t lost = 0;      ///< still what the owner had put there before
  std::uint64_t stale = 0;     ///< right for one of the three rounds before
  std::uint64_t shifted = 0;   ///< right for a place at most 16 words away
  std::uint64_t all_ones = 0;  ///< what an aborted PCIe read gives
  std::uint64_t zero = 0;
  std::uint64_t guard = 0;         ///< words outside of the range that was to be written, and that changed
  std::uint64_t first_offset = 0;  ///< bytes from the start of the range; meaningful where `wrong` is not 0
  std::uint32_t first_expected = 0;
  std::uint32_t first_found = 0;

  [[nodiscard]] bool right() const { return wrong == 0 && guard == 0 && checked != 0; }
};

}  // namespace gpucoop::runtime
