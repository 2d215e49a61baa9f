#include "read/text.hpp"

namespace gpucoop {

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

std::size_t find_ignoring_case(std::string_view s, std::string_view needle) {
  if (needle.size() > s.size()) return std::string_view::npos;
  for (std::size_t i = 0; i + needle.size() <= s.size(); ++i) {
    if (equal_ignoring_case(s.substr(i, needle.size()), needle)) return i;
  }
  return std::string_view::npos;
}

std::optional<std::uint64_t> parse_decimal_prefix(std::string_view s, std::size_t& length) {
  std::uint64_t value = 0;
  length = 0;
  while (length < s.size() && is_digit(s[length])) {
    if (length == 18) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(s[length] - '0');
    ++length;
  }
  if (length == 0) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_decimal(std::string_view s) {
  std::size_t length = 0;
  const auto value = parse_decimal_prefix(s, length);
  if (!value || length != s.size()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> parse_hex(std::string_view s, std::size_t pos, std::size_t digits) {
  if (pos > s.size() || digits > s.size() - pos) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int d = hex_value(s[pos + i]);
    if (d < 0) return std::nullopt;
    value = (value << 4) | static_cast<std::uint32_t>(d);
  }
  if (pos + digits < s.size() && hex_value(s[pos + digits]) >= 0) return std::nullopt;
  return value;
}

std::optional<double> parse_fixed_prefix(std::string_view s, std::size_t& length) {
  const auto whole = parse_decimal_prefix(s, length);
  if (!whole) return std::nullopt;
  auto value = static_cast<double>(*whole);
  if (length + 1 < s.size() && s[length] == '.' && is_digit(s[length + 1])) {
    constexpr double kMostDecimals = 1e9;
    double decimals = 0;
    double scale = 1;
    for (++length; length < s.size() && is_digit(s[length]); ++length) {
      if (scale == kMostDecimals) continue;
      decimals = decimals * 10 + (s[length] - '0');
      scale *= 10;
    }
    value += decimals / scale;
  }
  return value;
}

std::optional<std::uint64_t> parse_size(std::string_view s) {
  std::size_t length = 0;
  const auto value = parse_decimal_prefix(s, length);
  if (!value) return std::nullopt;
  auto unit = s.substr(length);
  if (!unit.empty() && unit.back() == 'B') unit.remove_suffix(1);
  if (unit.empty()) return value;
  if (unit.size() != 1) return std::nullopt;
  unsigned shift = 0;
  switch (unit.front()) {
    case 'K': shift = 10; break;
    case 'M': shift = 20; break;
    case 'G': shift = 30; break;
    case 'T': shift = 40; break;
    case 'P': shift = 50; break;
    default: return std::nullopt;
  }
  if (*value > (UINT64_MAX >> shift)) return std::nullopt;
  return *value << shift;
}

}  // namespace gpucoop
