#include "render/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace gpucoop {
namespace {

constexpr char32_t kInvalid = 0xffffffff;

struct Decoded {
  char32_t code = kInvalid;
  std::size_t length = 1;
};

/// The code point at the start of `text` (not empty). Overlong forms, surrogates and cut sequences are invalid
/// and take one byte, so that what follows them is still read.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  auto code = static_cast<char32_t>(lead & (0x7fU >> length));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, length};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& r) { return code >= r.first && code <= r.last; });
}

// C0, DEL, C1, soft hyphen, and what reorders or hides text: Unicode category Cf as far as it can be abused.
constexpr std::array<Range, 13> kHarmful = {{{0x00, 0x1f},
                                             {0x7f, 0x9f},
                                             {0xad, 0xad},
                                             {0x61c, 0x61c},
                                             {0x180e, 0x180e},
                                             {0x200b, 0x200f},
                                             {0x2028, 0x202e},
                                             {0x2060, 0x206f},
                                             {0xfeff, 0xfeff},
                                             {0xfff9, 0xfffb},
                                             {0xe000, 0xf8ff},
                                             {0xe0000, 0xe0fff},
                                             {0xf0000, 0x10ffff}}};
constexpr std::array<Range, 6> kCombining = {
    {{0x300, 0x36f}, {0x483, 0x489}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe2f}}};
constexpr std::array<Range, 9> kWide = {{{0x1100, 0x115f},
                                         {0x2e80, 0x303e},
                                         {0x3041, 0x4dbf},
                                         {0x4e00, 0xa4cf},
                                         {0xac00, 0xd7a3},
                                         {0xf900, 0xfaff},
                                         {0xfe30, 0xfe6f},
                                         {0xff00, 0xff60},
                                         {0x1f300, 0x1faff}}};

std::size_t width_of(char32_t code) {
  if (code < 0x300) return 1;
  if (in(kCombining, code)) return 0;
  return in(kWide, code) || (code >= 0x20000 && code <= 0x3fffd) ? 2 : 1;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Decoded d = decode(text);
    if (d.code == kInvalid) {
      result += "\xef\xbf\xbd";
    } else if (!in(kHarmful, d.code)) {
      result.append(text.substr(0, d.length));
    } else if (d.code < 0x100) {
      result += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(d.code));
    } else {
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(d.code));
    }
    text.remove_prefix(d.length);
  }
  return result;
}

std::size_t columns(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Decoded d = decode(text);
    width += width_of(d.code == kInvalid ? U'?' : d.code);
    text.remove_prefix(d.length);
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const Decoded d = decode(text.substr(end));
    const std::size_t w = width_of(d.code == kInvalid ? U'?' : d.code);
    if (used + w > width - 1) break;
    used += w;
    end += d.length;
  }
  return std::string(text.substr(0, end)) + "\xe2\x80\xa6";
}

}  // namespace gpucoop
