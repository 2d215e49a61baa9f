#include "read/live/names.hpp"

#include <algorithm>

#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kDigits = 4;

/// The name behind `1002  `.
std::string_view name_of(std::string_view line) { return trim(line.substr(std::min(line.size(), kDigits))); }

}  // namespace

NameFinder::NameFinder(std::vector<PciDevice>& devices) {
  for (auto& device : devices) {
    if (!device.vendor_id.is_known() || !device.device_id.is_known()) continue;
    vendors_[device.vendor_id.value()].emplace(device.device_id.value(), Wanted{&device});
    ++missing_;
  }
}

bool NameFinder::take(std::string_view piece) {
  constexpr std::size_t kMostLine = 4096;
  while (missing_ != 0 && !piece.empty()) {
    const auto end = piece.find('\n');
    if (end == std::string_view::npos) {
      begun_ += piece.substr(0, kMostLine - std::min(kMostLine, begun_.size()));
      break;
    }
    const auto line = piece.substr(0, end);
    piece.remove_prefix(end + 1);
    if (begun_.empty()) {
      take_line(line);
    } else {
      begun_ += line;
      take_line(begun_);
      begun_.clear();
    }
  }
  return missing_ != 0;
}

void NameFinder::finish() {
  take_line(begun_);
  begun_.clear();
}

void NameFinder::take_line(std::string_view line) {
  const bool below = starts_with(line, "\t");
  if (below && (below_ == nullptr || starts_with(line, "\t\t"))) return;
  const auto id = parse_hex(line, below ? 1 : 0, kDigits);
  if (!below) {
    const auto found = id ? vendors_.find(static_cast<std::uint16_t>(*id)) : vendors_.end();
    below_ = found == vendors_.end() ? nullptr : &found->second;
    vendor_ = below_ == nullptr ? std::string_view() : name_of(line);
  } else if (id) {
    const auto [begin, end] = below_->equal_range(static_cast<std::uint16_t>(*id));
    for (auto at = begin; at != end; ++at) {
      if (at->second.found) continue;
      at->second.found = true;
      at->second.device->name = vendor_ + " " + std::string(name_of(line.substr(1)));
      --missing_;
    }
  }
}

}  // namespace gpucoop
