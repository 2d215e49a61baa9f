#include "read/live/names.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kDigits = 4;
constexpr std::size_t kMostLine = 4096;
constexpr std::size_t kPiece = std::size_t{32} << 10;

/// The name behind `1002  `.
std::string_view name_of(std::string_view line) { return trim(line.substr(std::min(line.size(), kDigits))); }

std::optional<std::uint16_t> id_at(std::string_view line, std::size_t at) {
  const auto id = parse_hex(line, at, kDigits);
  return id ? std::optional(static_cast<std::uint16_t>(*id)) : std::nullopt;
}

/// A vendor's line. Those of classes, `C 03  …`, stand behind all vendors.
std::optional<std::uint16_t> vendor_at(std::string_view line) {
  if (line.size() > kDigits && line[kDigits] != ' ') return std::nullopt;
  return id_at(line, 0);
}

/// Lines of the list, from the first that begins at or behind an offset.
class Lines {
 public:
  /// `first`: how many bytes are read at first; more at a time after that.
  Lines(const ReadAt& list, std::size_t offset, std::size_t first) : list_(list), at_(offset), room_(first) {
    if (offset == 0) return;
    --at_;
    static_cast<void>(next());
  }

  /// Nullopt at the end. The text is good until the next call. Of a line that is too long, the start.
  std::optional<std::string_view> next() {
    begun_.clear();
    for (;;) {
      if (rest_.empty() && !fill()) return begun_.empty() ? std::nullopt : std::optional<std::string_view>(begun_);
      const auto end = rest_.find('\n');
      const auto part = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      if (end != std::string_view::npos && begun_.empty()) return part;
      begun_ += part.substr(0, kMostLine - std::min(kMostLine, begun_.size()));
      if (end != std::string_view::npos) return begun_;
    }
  }
  /// The offset behind the line that was given last.
  [[nodiscard]] std::size_t offset() const { return at_ - rest_.size(); }

 private:
  bool fill() {
    if (began_) room_.resize(kPiece);
    began_ = true;
    const auto got = std::min(list_(at_, room_), room_.size());
    at_ += got;
    rest_ = {reinterpret_cast<const char*>(room_.data()), got};
    return got != 0;
  }

  const ReadAt& list_;
  std::size_t at_;
  std::vector<std::uint8_t> room_;
  bool began_ = false;
  std::string_view rest_;
  std::string begun_;
};

using DevicesById = std::multimap<std::uint16_t, PciDevice*>;

/// Reads the entries below a vendor's line until the next vendor or class, or until all that are wanted have been seen.
void take_devices(Lines& lines, const std::string& vendor, DevicesById& wanted) {
  while (!wanted.empty()) {
    const auto line = lines.next();
    if (!line) return;
    if (line->empty() || starts_with(*line, "#")) continue;
    if (!starts_with(*line, "\t")) return;
    const auto id = starts_with(*line, "\t\t") ? std::nullopt : id_at(*line, 1);
    if (!id) continue;
    const auto [begin, end] = wanted.equal_range(*id);
    for (auto at = begin; at != end; ++at) at->second->name = vendor + " " + std::string(name_of(line->substr(1)));
    wanted.erase(begin, end);
  }
}

/// Looks from `offset` on for the line of a vendor, as far as to the first vendor behind it in the order. False where
/// it is not there.
bool take_vendor(const ReadAt& list, std::size_t offset, std::uint16_t vendor, DevicesById& wanted, bool ordered) {
  Lines lines(list, offset, kPiece);
  while (const auto line = lines.next()) {
    const auto id = starts_with(*line, "\t") ? std::nullopt : vendor_at(*line);
    if (id == vendor) {
      const std::string name(name_of(*line));
      take_devices(lines, name, wanted);
      return true;
    }
    if (ordered && id && *id > vendor) return false;
  }
  return false;
}

/// An offset that the line of `vendor` is not far behind, if the list is in order.
std::size_t halve(const ReadAt& list, std::size_t bytes, std::uint16_t vendor) {
  constexpr std::size_t kNear = std::size_t{16} << 10;
  std::size_t low = 0;
  for (std::size_t high = bytes; high - low > kNear;) {
    const auto middle = low + (high - low) / 2;
    Lines lines(list, middle, kMostLine);
    std::optional<std::uint16_t> found;
    while (!found && lines.offset() < high) {
      const auto line = lines.next();
      if (!line) break;
      if (!starts_with(*line, "\t")) found = vendor_at(*line);
    }
    if (found && *found < vendor) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

void take_names(const ReadAt& list, std::size_t bytes, std::vector<PciDevice>& devices) {
  std::map<std::uint16_t, DevicesById> vendors;
  for (auto& device : devices) {
    if (device.vendor_id.is_known() && device.device_id.is_known()) {
      vendors[device.vendor_id.value()].emplace(device.device_id.value(), &device);
    }
  }
  for (auto& [vendor, wanted] : vendors) {
    if (take_vendor(list, halve(list, bytes, vendor), vendor, wanted, true)) continue;
    static_cast<void>(take_vendor(list, 0, vendor, wanted, false));
  }
}

}  // namespace gpucoop
