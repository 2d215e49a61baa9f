#include "read/live/holders/process_texts.hpp"

#include <algorithm>

#include "read/text.hpp"

namespace gpucoop {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  const auto value = parse_decimal(text);
  return value && *value <= 0xffffffff ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

}  // namespace

std::string_view value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    auto line = next_part(text, '\n');
    if (trim(next_part(line, ':')) == key) return trim(line);
  }
  return {};
}

std::optional<std::uint32_t> user_number(std::string_view status) {
  auto values = value_of(status, "Uid");  // real, effective, saved, of the file system
  next_part(values, '\t');
  return number(next_part(values, '\t'));
}

Known<double> running_seconds(std::string_view stat, std::string_view uptime) {
  // The name is in parentheses and may hold blanks and parentheses itself.
  const auto close = stat.rfind(')');
  if (close == std::string_view::npos) return {};
  auto rest = trim(stat.substr(close + 1));
  constexpr int kBefore = 19;  // fields 3 to 21
  for (int i = 0; i < kBefore; ++i) next_part(rest, ' ');
  const auto ticks = parse_decimal(next_part(rest, ' '));
  std::size_t length = 0;
  const auto up = parse_fixed_prefix(uptime, length);
  if (!ticks || !up) return {};
  constexpr double kTicks = 100;  // USER_HZ of every architecture that GPUs are used on
  return std::max(0.0, *up - static_cast<double>(*ticks) / kTicks);
}

std::string user_of(std::string_view passwd, std::uint32_t wanted) {
  while (!passwd.empty()) {
    auto line = next_part(passwd, '\n');
    const auto name = next_part(line, ':');
    next_part(line, ':');
    if (number(next_part(line, ':')) == wanted && !name.empty()) return std::string(name);
  }
  return {};
}

}  // namespace gpucoop
