#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/rules.hpp"

namespace gpucoop {

/// Rules as bytes, for compiling them in: `read_archive(write_archive(r))` equals `r`.
[[nodiscard]] std::string write_archive(const Rules& rules);
/// Precondition: `bytes` come from `write_archive` of the same build; a byte that is missing reads as zero.
[[nodiscard]] Rules read_archive(std::string_view bytes);

}  // namespace gpucoop
