#include "read/live/device_values.hpp"

#include <algorithm>
#include <array>

#include "read/text.hpp"

namespace gpucoop {
namespace {

// include/linux/ioport.h IORESOURCE_*
constexpr std::uint64_t kIo = 0x100;
constexpr std::uint64_t kMemory = 0x200;
constexpr std::uint64_t kPrefetch = 0x2000;
constexpr std::uint64_t kIs64bit = 0x100000;
constexpr std::uint64_t kUnset = 0x20000000;

constexpr std::uint8_t kBars = 6;

Bar& bar_of(std::vector<Bar>& bars, std::uint8_t index) {
  auto at = std::find_if(bars.begin(), bars.end(), [&](const Bar& bar) { return bar.index >= index; });
  if (at == bars.end() || at->index != index) {
    at = bars.insert(at, Bar());
    at->index = index;
  }
  return *at;
}

void fill(Known<bool>& to, bool value) {
  if (!to.is_known()) to = value;
}

}  // namespace

std::optional<std::uint64_t> parse_hex_attribute(std::string_view text, std::size_t digits) {
  if (starts_with(text, "0x")) text.remove_prefix(2);
  if (text.empty() || text.size() > std::min<std::size_t>(digits, 16)) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = hex_value(to_lower(c));
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

Known<LinkSpeed> parse_speed_attribute(std::string_view text) {
  if (starts_with(text, "Unknown")) return {};
  std::size_t length = 0;
  const auto gts = parse_fixed_prefix(text, length);
  const auto speed = gts && starts_with(trim(text.substr(length)), "GT/s") ? speed_from_gigatransfers(*gts)
                                                                           : std::optional<LinkSpeed>();
  return speed ? Known<LinkSpeed>(*speed) : Known<LinkSpeed>::unknown(Reason::damaged);
}

Known<std::uint8_t> parse_width_attribute(std::string_view text) {
  constexpr std::uint64_t kUnknown = 255;
  constexpr std::uint64_t kAllOnes = 63;
  const auto lanes = parse_decimal(text);
  if (!lanes) return Known<std::uint8_t>::unknown(Reason::damaged);
  if (*lanes == kUnknown || *lanes == kAllOnes) return {};
  if (*lanes != 0 && (*lanes > kUnknown || !is_link_width(static_cast<unsigned>(*lanes)))) {
    return Known<std::uint8_t>::unknown(Reason::damaged);
  }
  return static_cast<std::uint8_t>(*lanes);
}

void take_resources(std::string_view text, std::vector<Bar>& bars) {
  for (std::uint8_t index = 0; index < kBars && !text.empty(); ++index) {
    auto line = next_part(text, '\n');
    std::array<std::uint64_t, 3> values{};
    bool whole = true;
    for (auto& value : values) {
      const auto parsed = parse_hex_attribute(next_part(line, ' '), 18);
      whole = whole && parsed;
      value = parsed.value_or(0);
    }
    const auto [start, end, flags] = values;
    if (!whole || (flags & (kIo | kMemory)) == 0 || end < start) continue;
    auto& bar = bar_of(bars, index);
    bar.size = end - start + 1;
    fill(bar.memory, (flags & kMemory) != 0);
    fill(bar.prefetchable, (flags & kPrefetch) != 0);
    fill(bar.is64bit, (flags & kIs64bit) != 0);
    if ((flags & kUnset) != 0) bar.assigned = false;
    fill(bar.assigned, start != 0);
  }
}

}  // namespace gpucoop
