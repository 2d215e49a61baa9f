#pragma once

#include <string_view>

namespace gpucoop {

struct LogText {
  std::string_view text;  ///< the message
  bool prefixed = false;  ///< a level, timestamp or `host kernel:` was taken off
};

/// The message of a kernel-log line without level (`<6>`), timestamp (`[   12.345678]`, syslog, ISO 8601), host name
/// and `kernel:`. A line without any of these is returned whole, leading blanks removed.
[[nodiscard]] LogText strip_log_prefix(std::string_view line);

}  // namespace gpucoop
