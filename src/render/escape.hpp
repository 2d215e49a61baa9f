#pragma once

#include <string>
#include <string_view>

namespace gpucoop {

/// Text that is safe on a terminal and is valid UTF-8: control characters, bidirectional overrides and other
/// invisible format characters become `\x1b`, `\u202e`; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);

/// How many columns `text` (valid UTF-8) takes on a terminal: wide characters two, combining marks none.
[[nodiscard]] std::size_t columns(std::string_view text);

/// The longest prefix of `text` (valid UTF-8) of at most `width` columns, ending with `…` where something is cut.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);

}  // namespace gpucoop
