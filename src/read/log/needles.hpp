#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gpucoop {

/// Searches a text for many literal strings in one pass (Wu and Manber 1994: a shift table over pairs of characters),
/// so that most characters of a text without any of them are never looked at.
class Needles {
 public:
  Needles() = default;
  /// Strings shorter than 2 are never found. The strings must outlive the searcher.
  explicit Needles(std::vector<std::string_view> needles);

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  /// Index of a needle that begins in `text` at or after `from`, leftmost first; `from` is set to where it begins.
  /// npos where there is none.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t& from) const;

 private:
  std::vector<std::string_view> needles_;
  std::size_t window_ = 0;            ///< length of the shortest needle
  std::vector<std::uint8_t> shift_;   ///< by the pair at the window's end
  std::vector<std::uint16_t> first_;  ///< by the pair at the window's end: index + 1 of a needle, or 0
  std::vector<std::uint16_t> next_;   ///< the next needle of that pair, likewise
};

}  // namespace gpucoop
