#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpucoop::probe {

/// The variable that all ranks have, and so all that they start: which probe they belong to.
constexpr const char* kRunMark = "GPUCOOP_RUN";
/// Its value for this process: its number, and when it started, in ticks since boot: `812-1234567`.
[[nodiscard]] std::string run_mark();

/// A process that a rank has started and that has outlived its probe. That takes a probe and its keeper that are killed
/// at the same instant: ranks then die with the keeper, but nobody is left who knows what they had started.
struct LeftBehind {
  std::int32_t pid = 0;
  std::uint64_t started = 0;  ///< in ticks since boot; with the number it names one process
  std::string name;           ///< the kernel's
  std::int32_t probe = 0;     ///< the process that ran that probe
  char state = '?';           ///< what it was found doing once it had been killed; '?': it has ended
};

/// Those that can be seen of `user`, all of whose user numbers have to be that one. Not those whose keeper still is
/// there to end them, nor this process and what it comes from. Files of procfs at `proc` are read, which can wait for
/// the process.
[[nodiscard]] std::vector<LeftBehind> left_behind(std::uint32_t user, const std::string& proc = "/proc");

/// Kills them and waits up to a second for their end. Reads in a child, within 2 s; where that takes longer nothing is
/// found. The calling process must have one thread only.
[[nodiscard]] std::vector<LeftBehind> end_left_behind();

/// `process 4242 (nccl-helper), left behind by a probe that was killed (pid 812), was ended`
[[nodiscard]] std::string sentence(const LeftBehind& process);

}  // namespace gpucoop::probe
