#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/recording.hpp"
#include "read/log/needles.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Finds the lines of a text that the catalogue of log causes knows. A pattern matches anywhere in a line; `*` in it
/// is any run of characters. The first cause of the catalogue that matches is taken.
/// Most lines match nothing and cost less than one step a character.
class LogReader {
 public:
  /// `rules` must outlive the reader.
  explicit LogReader(const Rules& rules);

  /// Takes a line without quoting; true where a cause matches. What is kept is the text after the timestamp and host
  /// prefix, at most 300 characters, without control characters, process names and numbers.
  /// `LogLine::device`: known from the address in the line; unknown where the line names ids only (see
  /// `join_log_lines`); absent where it names neither: it is about the host.
  bool take(std::string_view line, Place place);
  /// What was kept, in order. Of one cause and device the first 16 lines.
  [[nodiscard]] std::vector<LogLine> finish();

 private:
  struct Pattern {
    std::size_t cause = 0;
    std::vector<std::string_view> pieces;  ///< literal runs between the wildcards, in order
  };

  const Rules* rules_;
  std::vector<Pattern> patterns_;
  Needles needles_;
  std::vector<LogLine> lines_;
  std::map<std::pair<std::size_t, std::optional<Address>>, unsigned> kept_;
};

/// Joins the lines that name a device only by its ids (`skipped device 1002:699f, PCI rejects atomics`) to that
/// device, where exactly one device of the recording has these ids. Called after all readings are merged.
void join_log_lines(Recording& recording);

}  // namespace gpucoop
