#pragma once

#include <set>
#include <string>
#include <string_view>

#include "rules/rules.hpp"

namespace gpucoop::recording_file {

/// Rebuilds kernel-log lines that the catalogue of causes knows, so that nothing personal is left in them.
class LogWords {
 public:
  /// `rules` must outlive this.
  explicit LogWords(const Rules& rules);

  /// What a pattern of the cause matches is kept as it is. Of the rest of the line numbers, PCI addresses and ids,
  /// names of registers and rings, and words that some pattern of the catalogue or the kernel's lines about links have;
  /// whatever else stands there becomes `...`. "" where no pattern of the cause matches. Applying it again changes
  /// nothing.
  [[nodiscard]] std::string rebuilt(std::string_view cause, std::string_view text) const;

 private:
  [[nodiscard]] bool is_known(std::string_view word) const;
  void add_rest(std::string_view text, std::string& to) const;

  const Rules* rules_;
  std::set<std::string, std::less<>> words_;
};

}  // namespace gpucoop::recording_file
