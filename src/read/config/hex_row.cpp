#include "read/config/hex_row.hpp"

#include <bit>
#include <cstddef>

namespace gpucoop {
namespace {

constexpr std::size_t kRowBytes = 16;
constexpr std::size_t kRowDigits = 2 * kRowBytes;
constexpr std::uint32_t kLastOffset = 0xff0;
/// Fewer bytes than this are a sentence (`10: 20 GB`), not a row.
constexpr std::size_t kFewestBytes = 4;
constexpr std::size_t kWidestGap = 2;

constexpr std::array<std::int8_t, 256> make_digits() {
  std::array<std::int8_t, 256> table{};
  for (auto& value : table) value = -1;
  for (unsigned char c = '0'; c <= '9'; ++c) table[c] = static_cast<std::int8_t>(c - '0');
  for (unsigned char c = 'a'; c <= 'f'; ++c) table[c] = static_cast<std::int8_t>(c - 'a' + 10);
  for (unsigned char c = 'A'; c <= 'F'; ++c) table[c] = static_cast<std::int8_t>(c - 'A' + 10);
  return table;
}
constexpr auto kDigits = make_digits();

int digit(char c) { return kDigits[static_cast<unsigned char>(c)]; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_end(char c) { return c == '\r' || c == '\n'; }

/// `86 80 … 00` exactly as lspci writes it. The common case by far.
bool read_plain(const char* p, std::size_t length, HexRow& row) {
  if (length < 3 * kRowBytes - 1) return false;
  int bad = 0;
  for (std::size_t i = 0; i < kRowBytes; ++i, p += 3) {
    const int high = digit(p[0]);
    const int low = digit(p[1]);
    bad |= high | low;
    if (i + 1 < kRowBytes) bad |= p[2] == ' ' ? 0 : -1;
    row.bytes[i] = static_cast<std::uint8_t>((high << 4 | low) & 0xff);
  }
  if (bad < 0) return false;
  if (length > 3 * kRowBytes - 1 && !is_blank(*(p - 1)) && !is_end(*(p - 1))) return false;
  row.present = 0xffff;
  return true;
}

/// The length of a markup tag (`<b>`, `</span>`) or emphasis mark at the start of `text`, or 0.
std::size_t markup_length(std::string_view text) {
  if (text.front() == '*' || text.front() == '`' || text.front() == '_') return 1;
  if (text.size() < 3 || text[0] != '<') return 0;
  const char first = text[1] == '/' ? text[2] : text[1];
  if ((first < 'a' || first > 'z') && (first < 'A' || first > 'Z')) return 0;
  constexpr std::size_t kLongestTag = 80;
  const auto end = text.substr(0, kLongestTag).find('>');
  return end == std::string_view::npos ? 0 : end + 1;
}

/// Words of a row after its offset, markup removed.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  struct Word {
    std::array<char, kRowDigits> text{};
    std::size_t length = 0;  ///< 0: there is none
    std::size_t gap = 0;     ///< blanks before it
    bool hex = true;
  };

  Word next() {
    Word word;
    while (!done() && is_blank(text_.front())) {
      text_.remove_prefix(1);
      ++word.gap;
    }
    while (!done() && !is_blank(text_.front())) {
      if (const auto n = markup_length(text_)) {
        text_.remove_prefix(n);
        continue;
      }
      if (digit(text_.front()) < 0 || word.length == word.text.size()) {
        word.hex = false;
      }
      if (word.length < word.text.size()) word.text[word.length] = text_.front();
      ++word.length;
      text_.remove_prefix(1);
    }
    return word;
  }

 private:
  [[nodiscard]] bool done() const { return text_.empty() || is_end(text_.front()); }
  std::string_view text_;
};

/// Digits of a row in the order read, and how many of the bytes stood as words of their own.
struct Digits {
  std::array<char, kRowDigits> text{};
  std::size_t count = 0;
  std::size_t clean_words = 0;    ///< two-digit words altogether
  std::size_t certain_bytes = 0;  ///< two-digit words before the first other one
  std::uint16_t unreadable = 0;   ///< bytes whose word has two characters that are not both digits
  bool rest_is_clean = true;      ///< nothing but two-character words
  bool overflow = false;          ///< more digits than a row has
  bool junk = false;              ///< something that is no byte follows
};

Digits collect(std::string_view text) {
  Digits d;
  Words words(text);
  for (auto word = words.next(); word.length != 0; word = words.next()) {
    if (d.count == kRowDigits && d.clean_words == kRowBytes) return d;  // the ASCII column or a comment
    const bool two = word.length == 2;
    if (d.count != 0 && word.gap > kWidestGap) {
      d.junk = true;
      return d;
    }
    if (!word.hex && (!two || d.count == kRowDigits)) {
      d.junk = true;
      return d;
    }
    if (word.length > kRowDigits - d.count) {
      d.overflow = true;
      return d;
    }
    if (two && word.hex) {
      ++d.clean_words;
      if (d.rest_is_clean && d.unreadable == 0) ++d.certain_bytes;
    } else if (two) {
      d.unreadable = static_cast<std::uint16_t>(d.unreadable | 1U << (d.count / 2));
    } else {
      d.rest_is_clean = false;
    }
    for (std::size_t i = 0; i < word.length; ++i) d.text[d.count++] = word.text[i];
  }
  return d;
}

void take_bytes(const Digits& d, std::size_t count, HexRow& row) {
  for (std::size_t i = 0; i < count; ++i) {
    if ((d.unreadable >> i & 1U) != 0) continue;
    row.bytes[i] = static_cast<std::uint8_t>(digit(d.text[2 * i]) << 4 | digit(d.text[2 * i + 1]));
    row.present = static_cast<std::uint16_t>(row.present | 1U << i);
  }
}

/// False where the words are those of a sentence or of some other table.
bool read_damaged(std::string_view text, HexRow& row) {
  const auto d = collect(text);
  const bool all_digits = d.count == kRowDigits && !d.overflow;
  if (all_digits && d.rest_is_clean) {
    row.state = d.unreadable != 0 ? HexRow::State::damaged : HexRow::State::whole;
    take_bytes(d, kRowBytes, row);
    return d.clean_words >= kFewestBytes;
  }
  if (all_digits && d.unreadable == 0 && d.clean_words >= kRowBytes / 2) {
    row.state = HexRow::State::repaired;
    take_bytes(d, kRowBytes, row);
    return true;
  }
  const bool torn_end = !d.junk && !d.overflow && d.unreadable == 0 && d.count == 2 * d.certain_bytes + 1;
  const bool only_short = !d.junk && !d.overflow && d.unreadable == 0 && d.rest_is_clean;
  row.state = only_short || torn_end ? HexRow::State::short_ : HexRow::State::damaged;
  take_bytes(d, d.certain_bytes, row);
  return (row.state == HexRow::State::short_ ? d.certain_bytes : d.clean_words) >= kFewestBytes;
}

}  // namespace

std::optional<HexRow> parse_hex_row(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && is_blank(line[at])) ++at;
  constexpr std::size_t kMostDigits = 8;
  std::uint32_t offset = 0;
  const std::size_t start = at;
  while (at < line.size() && at - start < kMostDigits && digit(line[at]) >= 0) {
    offset = offset << 4 | static_cast<std::uint32_t>(digit(line[at]));
    ++at;
  }
  if (at - start < 2 || line.size() - at < 4 || line[at] != ':' || !is_blank(line[at + 1])) return std::nullopt;
  ++at;

  HexRow row;
  if (!read_plain(line.data() + at + 1, line.size() - at - 1, row)) {
    row.present = 0;
    if (!read_damaged(line.substr(at), row)) return std::nullopt;
  }
  if (offset > kLastOffset || offset % kRowBytes != 0) {
    constexpr int kConvincing = 8;
    if (std::popcount(row.present) < kConvincing) return std::nullopt;
    row = HexRow{};
    row.state = HexRow::State::bad_offset;
    return row;
  }
  row.offset = static_cast<std::uint16_t>(offset);
  return row;
}

}  // namespace gpucoop
