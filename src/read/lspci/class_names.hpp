#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpucoop {

/// The class code (base class and sub-class) that lspci prints as `name`, or nullopt for any other text.
[[nodiscard]] std::optional<std::uint16_t> class_from_name(std::string_view name);

}  // namespace gpucoop
