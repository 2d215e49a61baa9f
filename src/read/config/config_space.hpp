#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/known.hpp"
#include "read/config/hex_row.hpp"

namespace gpucoop {

/// The configuration space of one function as far as it was read: up to 4096 bytes, each present or missing.
/// A missing byte is never read as a value; `why_missing` says why it is not there.
class ConfigSpace {
 public:
  static constexpr std::size_t kSize = 4096;
  static constexpr std::size_t kRow = 16;

  /// `header_only` is the reason for what lies beyond a reading that ends with the header (64 bytes, 128 for
  /// CardBus): `no_root` for live reading (drivers/pci/pci-sysfs.c pci_read_config cuts there), and for a dump
  /// whose author meant more than `lspci -x`.
  explicit ConfigSpace(Reason header_only = Reason::no_root) : header_only_(header_only) {}

  /// Takes the bytes from offset 0; those beyond 4096 are ignored.
  void assign(std::span<const std::uint8_t> bytes);

  /// Takes bytes from `offset` on; those beyond 4096 are ignored. What lies between two takings stays missing.
  void put(std::size_t offset, std::span<const std::uint8_t> bytes);

  /// Takes the certain bytes of a row of a dump. Nothing is taken from a row with a bad offset.
  /// A short row that is not the last one, and two rows that state different bytes for one offset, are damage:
  /// their bytes become missing, since which of them stand where they should cannot be told.
  void add(const HexRow& row);

  /// Forgets everything but the reason for the header: cheaper than a new object.
  void clear();

  [[nodiscard]] bool empty() const { return extent_ == 0; }
  /// One past the last offset that was read or damaged: 64, 256 and 4096 for whole readings.
  [[nodiscard]] std::size_t extent() const { return extent_; }

  /// Little-endian; nullopt where any byte is missing or out of range.
  [[nodiscard]] std::optional<std::uint8_t> u8(std::size_t offset) const {
    if (!has(offset, 1)) return std::nullopt;
    return bytes_[offset];
  }
  [[nodiscard]] std::optional<std::uint16_t> u16(std::size_t offset) const {
    if (!has(offset, 2)) return std::nullopt;
    return static_cast<std::uint16_t>(bytes_[offset] | bytes_[offset + 1] << 8);
  }
  [[nodiscard]] std::optional<std::uint32_t> u32(std::size_t offset) const {
    if (!has(offset, 4)) return std::nullopt;
    return bytes_[offset] | static_cast<std::uint32_t>(bytes_[offset + 1]) << 8 |
           static_cast<std::uint32_t>(bytes_[offset + 2]) << 16 | static_cast<std::uint32_t>(bytes_[offset + 3]) << 24;
  }

  /// True where all of `count` (1 to 16) bytes from `offset` are present.
  [[nodiscard]] bool has(std::size_t offset, std::size_t count) const;
  /// Why the first missing one of `count` bytes from `offset` is missing: `damaged` in a damaged row, `not_in_input`
  /// in a gap and beyond 256 bytes, the header's reason beyond the header, `truncated` where the reading ends
  /// elsewhere.
  [[nodiscard]] Reason why_missing(std::size_t offset, std::size_t count = 1) const;

 private:
  void drop_row(std::size_t offset);

  std::array<std::uint8_t, kSize> bytes_{};
  std::array<std::uint16_t, kSize / kRow> present_{};  ///< one bit a byte, one element a row
  std::array<bool, kSize / kRow> damaged_{};
  std::size_t extent_ = 0;
  std::optional<std::uint16_t> short_row_;
  Reason header_only_;
};

}  // namespace gpucoop
