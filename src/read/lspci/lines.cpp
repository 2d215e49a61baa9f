#include "read/lspci/lines.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "read/text.hpp"

namespace gpucoop {
namespace {

// Bytes that may begin something to be removed: escape sequences, UTF-8 blanks, entities, tags.
constexpr std::array<bool, 256> special_bytes() {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 0x20; ++c) table[c] = c != '\t';
  for (const unsigned c : {0x7fU, 0xc2U, 0xe2U, 0xefU, static_cast<unsigned>('&')}) table[c] = true;
  return table;
}
constexpr auto kSpecial = special_bytes();

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kReplacements{{
    {"\xc2\xa0", " "},      // no-break space
    {"\xe2\x80\xaf", " "},  // narrow no-break space
    {"\xe2\x80\x83", " "},  // em space
    {"\xe2\x80\x8b", ""},   // zero-width space
    {"\xef\xbb\xbf", ""},   // byte order mark
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&amp;", "&"},
    {"&nbsp;", " "},
    {"&quot;", "\""},
    {"&#39;", "'"},
    {"&#160;", " "},
}};

constexpr std::array<std::string_view, 12> kTags{"pre", "code", "b", "i",  "em",   "strong",
                                                 "tt",  "samp", "p", "br", "span", "div"};

/// The length of a known markup tag at the start of `s`, or 0. `<TAbort-` and `<access denied>` are none.
std::size_t tag_length(std::string_view s) {
  std::size_t pos = 1;
  if (pos < s.size() && s[pos] == '/') ++pos;
  std::size_t end = pos;
  while (end < s.size() && end - pos < 7 && is_alpha(s[end])) ++end;
  const auto name = s.substr(pos, end - pos);
  bool known = false;
  for (const auto tag : kTags) known = known || equal_ignoring_case(name, tag);
  if (!known || end >= s.size()) return 0;
  if (s[end] != '>' && s[end] != ' ' && s[end] != '/') return 0;
  const auto close = s.substr(0, 200).find('>', end);
  return close == std::string_view::npos ? 0 : close + 1;
}

/// The length of an ANSI escape sequence at the start of `s` (which starts with ESC).
std::size_t escape_length(std::string_view s) {
  if (s.size() < 2 || s[1] != '[') return 1;
  std::size_t pos = 2;
  while (pos < s.size() && pos < 32 && (s[pos] < '@' || s[pos] > '~')) ++pos;
  return pos < s.size() ? pos + 1 : pos;
}

bool needs_cleaning(std::string_view raw) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (kSpecial[static_cast<unsigned char>(raw[i])]) return true;
    if (raw[i] == '<' && tag_length(raw.substr(i)) != 0) return true;
  }
  return false;
}

/// `> `, `>> `, `> > `: any depth. A single blank after the last mark belongs to the quoting.
std::string_view without_quoting(std::string_view s) {
  std::size_t pos = 0;
  bool quoted = false;
  for (;;) {
    // Quoting may be indented as a whole; inside it the marks stand close together.
    std::size_t mark = pos;
    while (mark < s.size() && (!quoted || mark - pos < 2) && is_blank(s[mark])) ++mark;
    if (mark >= s.size() || s[mark] != '>') break;
    quoted = true;
    pos = mark + 1;
  }
  if (quoted && pos < s.size() && s[pos] == ' ') ++pos;
  return s.substr(pos);
}

}  // namespace

Lines::Lines(std::string_view bytes) : rest_(bytes) {
  if (bytes.find('\n') == std::string_view::npos && bytes.find('\r') != std::string_view::npos) end_ = '\r';
}

std::string_view Lines::clean(std::string_view raw) {
  if (!needs_cleaning(raw)) return raw;
  scratch_.clear();
  for (std::size_t i = 0; i < raw.size();) {
    const auto left = raw.substr(i);
    if (raw[i] == '\x1b') {
      i += escape_length(left);
      continue;
    }
    if (raw[i] == '<') {
      if (const auto n = tag_length(left); n != 0) {
        i += n;
        continue;
      }
    }
    const std::pair<std::string_view, std::string_view>* found = nullptr;
    if (kSpecial[static_cast<unsigned char>(raw[i])]) {
      for (const auto& r : kReplacements) {
        if (left.substr(0, r.first.size()) == r.first) {
          found = &r;
          break;
        }
      }
    }
    if (found != nullptr) {
      scratch_ += found->second;
      i += found->first.size();
      continue;
    }
    const auto c = static_cast<unsigned char>(raw[i]);
    scratch_ += (c < 0x20 && c != '\t') || c == 0x7f ? ' ' : raw[i];
    ++i;
  }
  return scratch_;
}

bool Lines::next(Line& line) {
  if (rest_.empty()) return false;
  const auto* found = static_cast<const char*>(std::memchr(rest_.data(), end_, rest_.size()));
  const std::size_t length = found != nullptr ? static_cast<std::size_t>(found - rest_.data()) : rest_.size();
  auto raw = rest_.substr(0, length);
  rest_.remove_prefix(found != nullptr ? length + 1 : length);
  line.number = ++number_;
  line.cut = found == nullptr;
  while (!raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
  line.body = without_quoting(clean(raw));
  line.flowed = !line.body.empty() && line.body.back() == ' ';
  line.text = trim(line.body);
  return true;
}

}  // namespace gpucoop
