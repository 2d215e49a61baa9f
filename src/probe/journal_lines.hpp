#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "probe/journal.hpp"

namespace gpucoop::probe {

/// One line of a journal, without its end.
struct JournalLine {
  bool begins = false;
  JournalEntry entry;  ///< with `begins`; else only `id`
  std::string state;   ///< without `begins`
};

/// None where it is no line of a journal.
[[nodiscard]] std::optional<JournalLine> parse_line(std::string_view text);
[[nodiscard]] std::string begin_line(const JournalEntry& entry);
[[nodiscard]] std::string end_line(const std::string& id, std::string_view state, const std::string& at);

}  // namespace gpucoop::probe
