#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpucoop::recording_file {

/// What makes a document larger or deeper than any recording or report is.
struct Excess {
  std::size_t at = 0;  ///< byte from 0
  std::string what;
};

/// Looks at the document once, before anything is stored for it. `kind`: `recording`, `report`.
[[nodiscard]] std::optional<Excess> find_excess(std::string_view bytes, std::string_view kind = "recording");

}  // namespace gpucoop::recording_file
