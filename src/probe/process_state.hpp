#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucoop::probe {

/// A process as /proc/PID/stat tells it (man proc_pid_stat).
struct ProcessState {
  std::int32_t pid = 0;
  char state = '?';  ///< R running, S sleeping, D uninterruptible, T stopped, Z ended
  std::int32_t parent = 0;
  std::int32_t session = 0;
  std::uint64_t ticks = 0;    ///< of processor time, its own and the kernel's for it
  std::uint64_t started = 0;  ///< ticks since the host was started; with the number it names one process
};

/// The text of /proc/PID/stat. None where it is another text.
[[nodiscard]] std::optional<ProcessState> parse_process_state(std::string_view text);
/// None where there is no such process. A process of which any thread is in state D is in state D.
[[nodiscard]] std::optional<ProcessState> process_state(std::int32_t pid);
/// Where in the kernel it waits; empty: nowhere, or it may not be known. Of a thread in state D where there is one.
[[nodiscard]] std::string kernel_place(std::int32_t pid);

/// Every process that can be seen.
[[nodiscard]] std::vector<ProcessState> all_processes();
/// The processes that come from `root`, by their parents; not `root` itself, and none that has ended.
[[nodiscard]] std::vector<std::int32_t> descendants(const std::vector<ProcessState>& all, std::int32_t root);

}  // namespace gpucoop::probe
