#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gpucoop {

/// Little-endian reads out of a byte range. Out of range is nullopt, never undefined behaviour:
/// all offset arithmetic on untrusted bytes goes through here.
class ByteView {
 public:
  ByteView() = default;
  explicit ByteView(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  [[nodiscard]] std::optional<std::uint8_t> u8(std::size_t offset) const {
    if (offset >= bytes_.size()) return std::nullopt;
    return bytes_[offset];
  }
  [[nodiscard]] std::optional<std::uint16_t> u16(std::size_t offset) const {
    const auto v = little_endian(offset, 2);
    if (!v) return std::nullopt;
    return static_cast<std::uint16_t>(*v);
  }
  [[nodiscard]] std::optional<std::uint32_t> u32(std::size_t offset) const {
    const auto v = little_endian(offset, 4);
    if (!v) return std::nullopt;
    return static_cast<std::uint32_t>(*v);
  }
  [[nodiscard]] std::optional<std::uint64_t> u64(std::size_t offset) const { return little_endian(offset, 8); }

 private:
  [[nodiscard]] std::optional<std::uint64_t> little_endian(std::size_t offset, std::size_t n) const {
    if (n > bytes_.size() || offset > bytes_.size() - n) return std::nullopt;
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < n; ++i) v |= static_cast<std::uint64_t>(bytes_[offset + i]) << (8 * i);
    return v;
  }

  std::span<const std::uint8_t> bytes_;
};

}  // namespace gpucoop
