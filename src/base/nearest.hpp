#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpucoop {

/// The `words` that `word` may have been meant to be, nearest first, at most `most`: those that begin with it or hold
/// it, and those within a third of its letters by edit distance. Words longer than 64 letters match nothing.
[[nodiscard]] std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& words,
                                               std::size_t most);

}  // namespace gpucoop
