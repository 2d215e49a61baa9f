#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "probe/cgroup.hpp"
#include "probe/privilege.hpp"

namespace gpucoop::probe {

/// What a rank is started with.
struct RankStart {
  const char* executable = nullptr;
  const std::vector<std::string>* arguments = nullptr;    ///< its name first
  const std::vector<std::string>* environment = nullptr;  ///< `NAME=value`
  int channel = -1;
  int board = -1;
  int output = -1;  ///< standard output and error
  const Cgroup* cgroup = nullptr;
  const Privilege* privilege = nullptr;
};

/// Starts a rank as a child of this process, in a process group of its own, that dies when this process does. -1 and
/// `errno` where there can be no further process. What else prevents it is told on its output, and it ends with the
/// status of a shell that cannot start a command: 126, or 127 where there is no such file.
[[nodiscard]] pid_t start_rank(const RankStart& start);

/// Closes all descriptors from `first` on.
void close_from(unsigned first);
/// Puts a copy of `from` at or above `least` that a new program does not get; -1 where that fails.
[[nodiscard]] int moved_above(int from, int least);
/// Signals as a new program expects them: none blocked, none handled or ignored.
void reset_signals();

}  // namespace gpucoop::probe
