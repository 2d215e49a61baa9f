#include "base/address.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace gpucoop {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Up to eight hexadecimal digits at `pos`; gives how many there are.
std::size_t hex_run(std::string_view s, std::size_t pos, std::uint32_t& value) {
  value = 0;
  std::size_t n = 0;
  while (pos + n < s.size() && n < 9) {
    const int d = hex_digit(s[pos + n]);
    if (d < 0) break;
    value = (value << 4) | static_cast<std::uint32_t>(d);
    ++n;
  }
  return n;
}

bool continues_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

unsigned hex_digits(std::uint32_t value) {
  unsigned n = 1;
  for (; value > 0xf; value >>= 4) ++n;
  return n;
}

// Reports name thousands of addresses: printf would take most of the time of a judgement.
char* put_hex(char* to, std::uint32_t value, unsigned digits) {
  for (; digits > 0; --digits) *to++ = "0123456789abcdef"[(value >> (4 * (digits - 1))) & 0xf];
  return to;
}

char* put_short_form(char* to, const Address& a) {
  to = put_hex(to, a.bus, 2);
  *to++ = ':';
  to = put_hex(to, a.device, 2);
  *to++ = '.';
  return put_hex(to, a.function, 1);
}

constexpr std::uint32_t kSimulatedDomain = 0xffffffff;
constexpr std::string_view kSimulatedLead = "host:";

using Buffer = std::array<char, 20>;  // eight digits of domain, two of bus and device, one of function

}  // namespace

Address simulated_device(std::uint16_t number) {
  return {kSimulatedDomain, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>((number >> 3) & 0x1f),
          static_cast<std::uint8_t>(number & 7)};
}

bool is_simulated(const Address& a) { return a.domain == kSimulatedDomain; }

std::string to_string(const Address& a) {
  if (is_simulated(a)) {
    return std::string(kSimulatedLead) + std::to_string((a.bus << 8) | (a.device << 3) | a.function);
  }
  Buffer buffer{};
  char* end = put_hex(buffer.data(), a.domain, std::max(4U, hex_digits(a.domain)));
  *end++ = ':';
  return {buffer.data(), put_short_form(end, a)};
}

std::string short_form(const Address& a) {
  if (a.domain != 0) return to_string(a);
  Buffer buffer{};
  return {buffer.data(), put_short_form(buffer.data(), a)};
}

std::optional<Address> parse_address_prefix(std::string_view text, std::size_t& length) {
  Address a;
  std::uint32_t value = 0;
  std::size_t pos = 0;
  std::size_t n = hex_run(text, 0, value);
  if (n >= 4 && n <= 8) {
    if (n >= text.size() || text[n] != ':') return std::nullopt;
    if (value == kSimulatedDomain) return std::nullopt;
    a.domain = value;
    pos = n + 1;
    n = hex_run(text, pos, value);
  }
  if (n != 2) return std::nullopt;
  a.bus = static_cast<std::uint8_t>(value);
  pos += 2;
  if (pos >= text.size() || text[pos] != ':') return std::nullopt;
  ++pos;
  if (hex_run(text, pos, value) != 2 || value > 31) return std::nullopt;
  a.device = static_cast<std::uint8_t>(value);
  pos += 2;
  if (pos + 1 >= text.size() || text[pos] != '.') return std::nullopt;
  if (text[pos + 1] < '0' || text[pos + 1] > '7') return std::nullopt;
  a.function = static_cast<std::uint8_t>(text[pos + 1] - '0');
  pos += 2;
  if (pos < text.size() && continues_word(text[pos])) return std::nullopt;
  length = pos;
  return a;
}

std::optional<Address> parse_address(std::string_view text) {
  std::size_t length = 0;
  auto a = parse_address_prefix(text, length);
  if (!a || length != text.size()) return std::nullopt;
  return a;
}

std::optional<Address> parse_device(std::string_view text) {
  if (text.substr(0, kSimulatedLead.size()) != kSimulatedLead) return parse_address(text);
  text.remove_prefix(kSimulatedLead.size());
  if (text.empty() || text.size() > 5 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  unsigned number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  if (number > 0xffff) return std::nullopt;
  return simulated_device(static_cast<std::uint16_t>(number));
}

std::vector<Address> without(const std::vector<Address>& all, const std::vector<Address>& some) {
  std::vector<Address> rest;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rest),
               [&](const Address& a) { return std::find(some.begin(), some.end(), a) == some.end(); });
  return rest;
}

}  // namespace gpucoop
