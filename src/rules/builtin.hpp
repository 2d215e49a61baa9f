#pragma once

#include <string_view>

namespace gpucoop {

/// The packed rules, made at build time by tools/rules-compile.
[[nodiscard]] std::string_view builtin_rules_bytes();

/// The files that they were made from, packed by the same program: for `builtin_rules_texts`.
[[nodiscard]] std::string_view builtin_texts_bytes();

}  // namespace gpucoop
