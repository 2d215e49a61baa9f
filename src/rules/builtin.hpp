#pragma once

#include <string_view>

namespace gpucoop {

/// The packed rules, made at build time by tools/rules-compile.
[[nodiscard]] std::string_view builtin_rules_bytes();

}  // namespace gpucoop
