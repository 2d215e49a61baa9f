#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpucoop {

// Small readings of ASCII text, independent of the locale.

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
[[nodiscard]] constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

[[nodiscard]] std::string_view trim(std::string_view s);
/// Takes what stands before the next `separator`, or all of the rest, off the front of `rest`, the separator too.
constexpr std::string_view next_part(std::string_view& rest, char separator) {
  const auto part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : part.size());
  return part;
}
[[nodiscard]] constexpr bool starts_with(std::string_view s, std::string_view prefix) {
  return s.substr(0, prefix.size()) == prefix;
}
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);
/// Where `needle` (in lower case) begins in `s`, whatever the case there; npos where it does not.
[[nodiscard]] std::size_t find_ignoring_case(std::string_view s, std::string_view needle);

/// All of `s` as a decimal number that fits, or nullopt.
[[nodiscard]] std::optional<std::uint64_t> parse_decimal(std::string_view s);
/// The digits at the start of `s`; `length` says how many there are.
[[nodiscard]] std::optional<std::uint64_t> parse_decimal_prefix(std::string_view s, std::size_t& length);
/// Exactly `digits` hexadecimal digits at `pos`, not followed by another one.
[[nodiscard]] std::optional<std::uint32_t> parse_hex(std::string_view s, std::size_t pos, std::size_t digits);
/// `2.5`, `16`: digits with at most one point, and how many characters they are.
[[nodiscard]] std::optional<double> parse_fixed_prefix(std::string_view s, std::size_t& length);
/// `16M`, `256MB`, `64G`, `128`: bytes, in powers of 1024.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view s);

}  // namespace gpucoop
