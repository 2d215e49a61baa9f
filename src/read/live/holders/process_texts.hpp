#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/known.hpp"

namespace gpucoop {

// The texts of procfs about one process (man proc_pid_status, proc_pid_stat, proc_uptime) and of /etc/passwd.

/// The value of the line `key: value`, without blanks around it; empty where there is none.
[[nodiscard]] std::string_view value_of(std::string_view text, std::string_view key);
/// The effective user of /proc/PID/status.
[[nodiscard]] std::optional<std::uint32_t> user_number(std::string_view status);
/// How long a process has been running, from /proc/PID/stat and /proc/uptime.
[[nodiscard]] Known<double> running_seconds(std::string_view stat, std::string_view uptime);
/// The name of a user in /etc/passwd; empty where there is none.
[[nodiscard]] std::string user_of(std::string_view passwd, std::uint32_t number);

}  // namespace gpucoop
