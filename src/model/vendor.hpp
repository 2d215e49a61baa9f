#pragma once

#include <cstdint>
#include <string_view>

namespace gpucoop {

enum class Vendor : std::uint8_t { amd, nvidia, intel, other };
[[nodiscard]] std::string_view to_string(Vendor vendor);

}  // namespace gpucoop
