#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/board.hpp"
#include "wire/step.hpp"

namespace gpucoop::probe {

/// What a hang looks like.
enum class Hang : std::uint8_t {
  none,
  all_waiting,  ///< every rank that has not answered waits for others
  one_missing,  ///< some wait, and some others do something else, or have gone
  spinning,     ///< nobody waits, and processors are used
  blocked,      ///< inside the kernel, uninterruptibly: state D
  stopped,      ///< by a signal or a debugger: state T
  slow,         ///< some got on while they were looked at: too little time, and nothing is stuck
  idle          ///< nobody waits, and nothing is used
};
/// `all-waiting`, `one-missing`, …
[[nodiscard]] std::string_view to_string(Hang hang);

/// A rank at the deadline.
struct RankLook {
  unsigned rank = 0;
  bool answered = false;
  bool gone = false;  ///< its process has ended
  char state = '?';   ///< of /proc/PID/stat
  std::string wchan;  ///< where in the kernel; empty: not known
  bool uses_processor = false;
  bool moves = false;      ///< its beats went on while it was looked at: slow, not stuck
  std::uint32_t step = 0;  ///< of Progress, as all that follows
  wire::Progress::Doing doing = wire::Progress::Doing::nothing;
  std::uint32_t group = 0;
  std::uint32_t round = 0;
  std::uint32_t op = 0;
};

struct HangReport {
  Hang kind = Hang::none;
  std::string text;  ///< `all wait: rank 0 waits in tp0 (ranks 0, 1) at round 17, …`
};

/// What those of them do that have not answered: `rank 0 waits in tp0 (ranks 0, 1) at round 17; rank 1 spins …`. Who is
/// to blame, because it does not wait, comes first.
[[nodiscard]] std::string doing_in_words(const wire::Step& step, const std::vector<RankLook>& ranks);

/// What the ranks of a step were doing when it had not come to its end. The worst kind counts: stopped, blocked, slow,
/// one missing, spinning, all waiting.
[[nodiscard]] HangReport describe_hang(const wire::Step& step, const std::vector<RankLook>& ranks);

}  // namespace gpucoop::probe
