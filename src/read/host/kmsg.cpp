#include "read/host/kmsg.hpp"

#include "read/text.hpp"

namespace gpucoop {
namespace {

std::string unescaped(std::string_view text) {
  constexpr std::size_t kLength = 4;
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + kLength <= text.size() && text[i + 1] == 'x' &&
                        hex_value(to_lower(text[i + 2])) >= 0 && hex_value(to_lower(text[i + 3])) >= 0;
    if (!escape) {
      result += text[i];
      continue;
    }
    result += static_cast<char>(hex_value(to_lower(text[i + 2])) * 16 + hex_value(to_lower(text[i + 3])));
    i += kLength - 1;
  }
  return result;
}

}  // namespace

std::optional<KmsgRecord> parse_kmsg(std::string_view record) {
  constexpr unsigned kLevelBits = 3;
  record = record.substr(0, record.find('\n'));
  const auto semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  auto head = record.substr(0, semicolon);
  const auto priority = parse_decimal(next_part(head, ','));
  const auto sequence = parse_decimal(next_part(head, ','));
  const auto time = parse_decimal(next_part(head, ','));
  if (!priority || !sequence || !time) return std::nullopt;
  KmsgRecord result;
  result.sequence = *sequence;
  result.from_kernel = *priority >> kLevelBits == 0;
  result.continuation = next_part(head, ',') == "+";
  result.text = unescaped(record.substr(semicolon + 1));
  return result;
}

}  // namespace gpucoop
