#include "read/log/prefix.hpp"

#include "read/text.hpp"

namespace gpucoop {
namespace {

std::string_view without_blanks(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  return s;
}

/// `<6>`
bool take_level(std::string_view& s) {
  if (s.size() < 3 || s[0] != '<') return false;
  std::size_t n = 1;
  while (n < s.size() && n < 4 && is_digit(s[n])) ++n;
  if (n == 1 || n == s.size() || s[n] != '>') return false;
  s.remove_prefix(n + 1);
  return true;
}

/// `[   12.345678] `, `[  +0.000012] `, `[Tue Sep 16 12:00:00 2025] `, and `[    T1] ` of kernels that print the task.
bool take_bracket(std::string_view& s) {
  if (s.empty() || s[0] != '[') return false;
  const std::size_t close = s.substr(0, 40).find(']');
  if (close == std::string_view::npos) return false;
  const std::string_view inside = without_blanks(s.substr(1, close - 1));
  if (inside.empty()) return false;
  std::size_t digits = 0;
  bool stamp = false;
  for (const char c : inside) {
    if (is_digit(c)) ++digits;
    if (c == '.' || c == ':') stamp = true;
  }
  const bool task = (inside[0] == 'T' || inside[0] == 'C') && digits + 1 == inside.size() && digits > 0;
  // `[drm]` and `[Hardware Error]` are part of the message, and so is the address in `[0000:03:00.0]`.
  const bool week_day = inside.size() == 24 && inside[3] == ' ';
  const bool seconds = stamp && inside.find_first_not_of("0123456789.+") == std::string_view::npos;
  if (!task && !seconds && !week_day) return false;
  s = without_blanks(s.substr(close + 1));
  return true;
}

/// `Sep 16` or `2025-09-16`: most lines of a text do not begin so and need no search.
bool begins_with_date(std::string_view s) {
  if (s.size() < 8) return false;
  if (is_digit(s[0])) return s[4] == '-' && is_digit(s[3]);
  if (s[3] != ' ') return false;
  static constexpr std::string_view kMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
  const std::size_t at = kMonths.find(s.substr(0, 4));
  return at != std::string_view::npos && at % 4 == 0;
}

/// `Sep 16 12:00:00 host kernel: ` and `2025-09-16T12:00:00.123456+00:00 host kernel: `; after a bracket with the
/// time (`journalctl -o short-monotonic`) also `host kernel: `.
bool take_syslog(std::string_view& s, bool after_bracket) {
  if (s.substr(0, 8) == "kernel: ") {
    s = without_blanks(s.substr(8));
    return true;
  }
  if (!after_bracket && !begins_with_date(s)) return false;
  const std::string_view head = s.substr(0, 160);
  for (const std::string_view mark : {std::string_view(" kernel: "), std::string_view(" kernel:[")}) {
    const std::size_t at = head.find(mark);
    if (at == std::string_view::npos) continue;
    bool clock = false;
    for (std::size_t i = 2; i + 2 < at; ++i) {
      if (head[i] == ':' && is_digit(head[i - 1]) && is_digit(head[i - 2]) && is_digit(head[i + 1]) &&
          is_digit(head[i + 2])) {
        clock = true;
        break;
      }
    }
    const bool one_word = after_bracket && head.substr(0, at).find(' ') == std::string_view::npos;
    if (!clock && !one_word) continue;
    s = without_blanks(s.substr(at + mark.size() - (mark.back() == '[' ? 1 : 0)));
    return true;
  }
  return false;
}

}  // namespace

LogText strip_log_prefix(std::string_view line) {
  LogText result;
  result.text = without_blanks(line);
  // At most one of each, in any order that the tools write.
  bool bracket = false;
  for (int i = 0; i < 5; ++i) {
    if (take_bracket(result.text)) {
      bracket = true;
    } else if (!take_level(result.text) && !take_syslog(result.text, bracket)) {
      break;
    }
    result.prefixed = true;
  }
  return result;
}

}  // namespace gpucoop
