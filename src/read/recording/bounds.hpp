#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpucoop::recording_file {

/// What makes a document larger or deeper than any recording is.
struct Excess {
  std::size_t at = 0;  ///< byte from 0
  std::string what;
};

/// Looks at the document once, before anything is stored for it.
[[nodiscard]] std::optional<Excess> find_excess(std::string_view bytes);

}  // namespace gpucoop::recording_file
