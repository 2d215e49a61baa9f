#include "analyse/kernel_bandwidth.hpp"

#include <fmt/format.h>

#include <charconv>

namespace gpucoop {
namespace {

constexpr std::string_view kAvailable = " Gb/s available PCIe bandwidth, limited by ";

/// A decimal such as `252.056` or `8`; std::from_chars for doubles is missing in some standard libraries.
std::optional<double> decimal(std::string_view text) {
  const auto dot = text.find('.');
  const auto whole_text = text.substr(0, dot);
  unsigned whole = 0;
  const auto* end = whole_text.data() + whole_text.size();
  if (const auto r = std::from_chars(whole_text.data(), end, whole); r.ec != std::errc{} || r.ptr != end) {
    return std::nullopt;
  }
  double value = whole;
  if (dot == std::string_view::npos) return value;
  double scale = 0.1;
  for (const char c : text.substr(dot + 1)) {
    if (c < '0' || c > '9') return std::nullopt;
    value += scale * (c - '0');
    scale /= 10;
  }
  return value;
}

std::string_view last_word(std::string_view text) {
  const auto blank = text.rfind(' ');
  return blank == std::string_view::npos ? text : text.substr(blank + 1);
}

}  // namespace

std::optional<KernelBandwidth> read_kernel_bandwidth(std::string_view line) {
  const auto found = line.find(kAvailable);
  if (found == std::string_view::npos) return std::nullopt;
  const auto gigabits = decimal(last_word(line.substr(0, found)));
  auto rest = line.substr(found + kAvailable.size());
  const auto unit = rest.find(" GT/s");
  const auto lanes = rest.find(" x");
  const auto link = rest.find(" link at ");
  if (!gigabits || *gigabits <= 0 || unit == std::string_view::npos || lanes == std::string_view::npos ||
      link == std::string_view::npos || lanes < unit || link < lanes) {
    return std::nullopt;
  }
  const auto gts = decimal(rest.substr(0, unit));
  const auto width = decimal(rest.substr(lanes + 2, link - lanes - 2));
  const auto speed = gts ? speed_from_gigatransfers(*gts) : std::nullopt;
  if (!speed || !width || *width < 1 || *width > 32 || !is_link_width(static_cast<unsigned>(*width)))
    return std::nullopt;
  KernelBandwidth bandwidth;
  bandwidth.gbytes_per_s = *gigabits / 8;
  bandwidth.speed = *speed;
  bandwidth.width = static_cast<std::uint8_t>(*width);
  std::size_t length = 0;
  if (const auto at = parse_address_prefix(rest.substr(link + 9), length)) bandwidth.at = *at;
  return bandwidth;
}

std::map<Address, KernelBandwidth> kernel_bandwidths(const Recording& recording) {
  std::map<Address, KernelBandwidth> devices;
  for (const auto& line : recording.log) {
    if (!line.device.is_known()) continue;
    auto bandwidth = read_kernel_bandwidth(line.text);
    if (!bandwidth) continue;
    const auto place = to_string(recording, line.place);
    bandwidth->line = place.empty() ? line.text : fmt::format("{} ({})", line.text, place);
    devices[line.device.value()] = std::move(*bandwidth);
  }
  return devices;
}

}  // namespace gpucoop
