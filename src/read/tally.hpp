#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/recording.hpp"

namespace gpucoop {

/// Counts what is wrong with an input, one warning a kind: a file full of bad lines gives one line of report.
class Tally {
 public:
  /// `code` and `text` must be literals; the first place is kept.
  void add(std::string_view code, std::string_view text, std::uint32_t line);
  [[nodiscard]] bool has(std::string_view code) const { return kinds_.count(code) != 0; }
  /// One warning a kind, in the order of the first places, `file:line`.
  [[nodiscard]] std::vector<Warning> finish(const std::string& file) const;

 private:
  struct Kind {
    std::string_view text;
    std::uint32_t line = 0;
    std::uint64_t count = 0;
  };
  std::map<std::string_view, Kind> kinds_;
};

}  // namespace gpucoop
