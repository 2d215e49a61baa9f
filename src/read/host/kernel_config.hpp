#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/known.hpp"

namespace gpucoop {

/// Whether an option of a kernel configuration (`CONFIG_PCI_P2PDMA`) is on, `y` or `m`. Off where the text says that it
/// is not set. A whole text without a line for it is of a kernel that lacks the option, or where what it depends on is
/// off: off too.
[[nodiscard]] bool config_option(std::string_view config, std::string_view option);

/// The text of a gzip file such as /proc/config.gz; empty where it is damaged, cut, or longer than `most` unpacked.
[[nodiscard]] std::string gunzip(std::span<const std::uint8_t> bytes, std::size_t most);

}  // namespace gpucoop
