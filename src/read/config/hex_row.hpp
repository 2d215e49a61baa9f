#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpucoop {

/// One row of a configuration-space dump as `lspci -x/-xxx/-xxxx` prints it: `80: 26 00 …`, `1f0: …`.
struct HexRow {
  enum class State : std::uint8_t {
    whole,       ///< 16 bytes
    short_,      ///< fewer than 16 bytes and nothing after them: whole only as the last row of a truncated dump
    repaired,    ///< bytes were glued together or torn apart, and exactly 32 digits make up the row
    damaged,     ///< bytes that are not certain are left out of `present`
    bad_offset,  ///< looks like a row, but the offset is beyond 0xff0 or no multiple of 16; no byte is present
  };

  std::uint16_t offset = 0;
  std::uint16_t present = 0;             ///< bit i: `bytes[i]` was read
  std::array<std::uint8_t, 16> bytes{};  ///< meaningful only where `present` says so
  State state = State::whole;
};

/// The row that `line` is, or nullopt where it is none (`00:01.0 VGA …`, `03: foo`, an interrupt table).
/// Blanks before the row, markup in it (`<b>40</b>`, `**40**`), upper case and anything after the 16th byte are
/// accepted; quoting (`> `) is the caller's to remove. A byte that cannot be placed with certainty is never given.
[[nodiscard]] std::optional<HexRow> parse_hex_row(std::string_view line);

}  // namespace gpucoop
