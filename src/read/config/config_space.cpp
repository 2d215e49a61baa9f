#include "read/config/config_space.hpp"

#include <algorithm>

namespace gpucoop {
namespace {

constexpr std::size_t kHeader = 64;
constexpr std::size_t kCardBusHeader = 128;
constexpr std::size_t kClassic = 256;

bool same_where_both(const HexRow& row, const std::uint8_t* bytes, unsigned present) {
  const unsigned both = row.present & present;
  if (both == 0) return true;
  for (std::size_t i = 0; i < ConfigSpace::kRow; ++i) {
    if ((both >> i & 1U) != 0 && row.bytes[i] != bytes[i]) return false;
  }
  return true;
}

}  // namespace

void ConfigSpace::clear() {
  std::fill_n(present_.begin(), (extent_ + kRow - 1) / kRow, std::uint16_t{0});
  std::fill_n(damaged_.begin(), (extent_ + kRow - 1) / kRow, false);
  extent_ = 0;
  short_row_.reset();
}

void ConfigSpace::assign(std::span<const std::uint8_t> bytes) {
  clear();
  const auto count = std::min(bytes.size(), kSize);
  std::copy_n(bytes.begin(), count, bytes_.begin());
  std::fill_n(present_.begin(), count / kRow, std::uint16_t{0xffff});
  if (const auto rest = count % kRow) present_[count / kRow] = static_cast<std::uint16_t>((1U << rest) - 1);
  extent_ = count;
}

void ConfigSpace::put(std::size_t offset, std::span<const std::uint8_t> bytes) {
  for (const auto byte : bytes) {
    if (offset >= kSize) return;
    bytes_[offset] = byte;
    present_[offset / kRow] = static_cast<std::uint16_t>(present_[offset / kRow] | 1U << offset % kRow);
    extent_ = std::max(extent_, ++offset);
  }
}

void ConfigSpace::drop_row(std::size_t offset) {
  present_[offset / kRow] = 0;
  damaged_[offset / kRow] = true;
  extent_ = std::max(extent_, offset + kRow);
}

void ConfigSpace::add(const HexRow& row) {
  if (row.state == HexRow::State::bad_offset || row.offset > kSize - kRow || row.offset % kRow != 0) return;
  if (short_row_ && *short_row_ != row.offset) drop_row(*short_row_);
  short_row_.reset();

  const std::size_t at = row.offset;
  auto& present = present_[at / kRow];
  if (damaged_[at / kRow] && present == 0) return;
  if (!same_where_both(row, bytes_.data() + at, present)) {
    drop_row(at);
    return;
  }
  if (row.present == 0xffff) {
    std::copy(row.bytes.begin(), row.bytes.end(), bytes_.begin() + row.offset);
  } else {
    for (std::size_t i = 0; i < kRow; ++i) {
      if ((std::uint32_t{row.present} >> i & 1U) != 0) bytes_[at + i] = row.bytes[i];
    }
  }
  present = static_cast<std::uint16_t>(present | row.present);
  if (row.state == HexRow::State::short_) {
    short_row_ = row.offset;
    std::size_t count = 0;
    while (count < kRow && (std::uint32_t{present} >> count & 1U) != 0) ++count;
    extent_ = std::max(extent_, at + count);
    return;
  }
  if (row.state == HexRow::State::damaged) damaged_[at / kRow] = true;
  extent_ = std::max(extent_, at + kRow);
}

bool ConfigSpace::has(std::size_t offset, std::size_t count) const {
  if (offset >= kSize || count > kRow || count > kSize - offset) return false;
  const std::size_t row = offset / kRow;
  const std::size_t bit = offset % kRow;
  std::uint32_t present = present_[row];
  if (bit + count > kRow) present |= static_cast<std::uint32_t>(present_[row + 1]) << kRow;
  const std::uint32_t wanted = ((1U << count) - 1) << bit;
  return (present & wanted) == wanted;
}

Reason ConfigSpace::why_missing(std::size_t offset, std::size_t count) const {
  for (; count > 1 && has(offset, 1); --count) ++offset;
  if (offset < kSize && damaged_[offset / kRow]) return Reason::damaged;
  if (offset < extent_ || extent_ == 0) return Reason::not_in_input;
  constexpr std::size_t kHeaderType = 0x0e;
  constexpr unsigned kCardBus = 2;
  const bool card_bus = (u8(kHeaderType).value_or(0) & 0x7fU) == kCardBus;
  if (extent_ == kHeader || (extent_ == kCardBusHeader && card_bus)) return header_only_;
  if (extent_ == kClassic) return Reason::not_in_input;
  return Reason::truncated;
}

}  // namespace gpucoop
