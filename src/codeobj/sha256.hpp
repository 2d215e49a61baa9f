#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gpucoop::codeobj {

/// SHA-256 (FIPS 180-4), with the processor's own instructions where it has them.
class Sha256 {
 public:
  /// `portable`: without these instructions, as on processors that have none.
  explicit Sha256(bool portable = false) : portable_(portable) {}
  void add(std::span<const std::uint8_t> bytes);
  /// 64 hexadecimal digits. Nothing may be added after it.
  [[nodiscard]] std::string finish();

 private:
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t size_ = 0;
  bool portable_;
};

}  // namespace gpucoop::codeobj
