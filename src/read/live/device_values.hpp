#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/known.hpp"
#include "model/pci.hpp"

namespace gpucoop {

/// What `convert` makes of an attribute's text. A missing attribute says nothing: unknown.
template <class T, class F>
[[nodiscard]] Known<T> converted(const Known<std::string>& text, F convert) {
  return text.is_absent() ? Known<T>() : text.and_then(convert);
}

// The texts of sysfs attributes of PCI devices (Documentation/ABI/testing/sysfs-bus-pci, drivers/pci/pci-sysfs.c).

/// `0x1002`; nullopt where it is none or has more than `digits` digits.
[[nodiscard]] std::optional<std::uint64_t> parse_hex_attribute(std::string_view text, std::size_t digits);
/// `32.0 GT/s PCIe`, `8 GT/s`; `Unknown` has no value now.
[[nodiscard]] Known<LinkSpeed> parse_speed_attribute(std::string_view text);
/// `16`; 0 is a link that is down; 255 and 63 stand for unknown.
[[nodiscard]] Known<std::uint8_t> parse_width_attribute(std::string_view text);
/// Takes sizes and kinds of BARs 0 to 5 from the lines `start end flags` of `resource`.
void take_resources(std::string_view text, std::vector<Bar>& bars);

}  // namespace gpucoop
