#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpucoop {

/// One line of a text as a person meant it: quoting, colour codes and known markup tags removed, every kind of
/// blank made a plain one. The views are valid until the next line is read.
struct Line {
  std::string_view body;     ///< without quoting, leading blanks kept (trees need their columns)
  std::string_view text;     ///< `body` without blanks at either end
  std::uint32_t number = 0;  ///< from 1
  bool flowed = false;       ///< ends in a blank: the mailer says that the next line continues it (RFC 3676)
  bool cut = false;          ///< the input ends in this line without a line end
};

/// Gives the lines of a text in one pass. Copies only lines that hold something to be removed.
class Lines {
 public:
  explicit Lines(std::string_view bytes);

  /// False at the end.
  bool next(Line& line);

 private:
  [[nodiscard]] std::string_view clean(std::string_view raw);

  std::string_view rest_;
  char end_ = '\n';
  std::uint32_t number_ = 0;
  std::string scratch_;
};

}  // namespace gpucoop
