#include <algorithm>
#include <string_view>

#include "base/address.hpp"
#include "read/recording/form.hpp"
#include "read/text.hpp"

namespace gpucoop::recording_file {
namespace {

bool is_word(char c) { return is_alpha(c) || is_digit(c); }

/// How many characters from the start of `s` are hexadecimal digits.
std::size_t hex_run(std::string_view s) {
  std::size_t n = 0;
  while (n < s.size() && hex_value(s[n]) >= 0) ++n;
  return n;
}

/// `aa:bb:cc:dd:ee:ff`, also with `-` or `.` between, and longer ones (EUI-64, InfiniBand GUIDs by pairs).
bool is_hardware_address(std::string_view s) {
  std::size_t pairs = 0;
  while (hex_run(s) == 2) {
    ++pairs;
    s.remove_prefix(2);
    if (s.empty() || (s[0] != ':' && s[0] != '-')) break;
    s.remove_prefix(1);
  }
  return pairs >= 6;
}

/// `10.0.0.5`
bool is_ip4(std::string_view s) {
  int parts = 0;
  while (!s.empty() && is_digit(s[0])) {
    std::size_t n = 0;
    while (n < s.size() && is_digit(s[n])) ++n;
    if (n > 3) return false;
    ++parts;
    s.remove_prefix(n);
    if (s.empty() || s[0] != '.') break;
    s.remove_prefix(1);
  }
  return parts == 4;
}

/// `fe80::1` and `2001:db8:0:0:0:0:0:1`; a PCI address has a point.
bool is_ip6(std::string_view s) {
  const auto colons = std::count(s.begin(), s.end(), ':');
  const bool digits = std::all_of(s.begin(), s.end(), [](char c) { return c == ':' || hex_value(c) >= 0; });
  return digits && (colons >= 7 || (colons >= 2 && s.find("::") != std::string_view::npos && s.size() > 3));
}

/// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view s) {
  for (const std::size_t digits : {8U, 4U, 4U, 4U, 12U}) {
    if (hex_run(s) < digits) return false;
    s.remove_prefix(digits);
    if (digits != 12 && (s.empty() || s[0] != '-')) return false;
    if (digits != 12) s.remove_prefix(1);
  }
  return true;
}

/// A path that is not one of the kernel's own file systems.
bool is_foreign_path(std::string_view s) {
  if (s.size() < 2 || (s[0] != '/' && s[0] != '~')) return false;
  for (const std::string_view own : {"/sys/", "/proc/", "/dev/"}) {
    if (starts_with(s, own)) return false;
  }
  return s.find('/', 1) != std::string_view::npos || s[0] == '~';
}

/// `4711081512`, `PF3K1020938`: more digits in one run of letters and digits than a type or register has. What begins
/// with `0x` is a number.
bool is_serial(std::string_view s) {
  constexpr std::ptrdiff_t kMost = 9;
  while (!s.empty()) {
    std::size_t n = 0;
    while (n < s.size() && is_word(s[n])) ++n;
    const auto run = s.substr(0, n);
    if (!starts_with(run, "0x") && std::count_if(run.begin(), run.end(), is_digit) > kMost) return true;
    s.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return false;
}

}  // namespace

bool is_identity(std::string_view word) {
  if (word.find('@') != std::string_view::npos || is_serial(word)) return true;
  // What it is may stand behind a key, in quotes or brackets: `mac=aa:bb:…`, `(GPU-1234…)`.
  for (std::size_t at = 0; at < word.size(); ++at) {
    const bool begins = at == 0 || !is_word(word[at - 1]);
    if (!begins) continue;
    const auto rest = word.substr(at);
    std::size_t length = 0;
    if (const auto address = parse_address_prefix(rest, length)) {
      at += length - 1;
      continue;
    }
    if (is_hardware_address(rest) || is_uuid(rest) || is_ip4(rest)) return true;
    auto end = rest.find_first_not_of("0123456789abcdefABCDEF:");
    if (is_ip6(rest.substr(0, end))) return true;
    const bool apart = at == 0 || std::string_view("=:(['\"<,;").find(word[at - 1]) != std::string_view::npos;
    if (apart && is_foreign_path(rest)) return true;
  }
  return false;
}

}  // namespace gpucoop::recording_file
