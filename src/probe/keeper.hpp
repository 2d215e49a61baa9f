#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "probe/cgroup.hpp"
#include "probe/privilege.hpp"

namespace gpucoop::probe {

/// What the keeper tells over the control socket (SOCK_SEQPACKET, one message each).
struct KeeperMessage {
  enum class Kind : std::uint32_t {
    started,      ///< rank, pid
    not_started,  ///< rank; `status` is the number of the error
    ended,        ///< rank, pid; `status` as of waitpid
    disturbed,    ///< a signal came: all is being ended without a command
    stuck,        ///< pid that did not end when it was killed, of a rank or (-1) of what one started; state and wchan
    finished      ///< nothing is left but what is stuck; the keeper ends
  };
  static constexpr std::size_t kPlaceRoom = 47;
  Kind kind = Kind::finished;
  std::int32_t rank = -1;
  std::int32_t pid = 0;
  std::int32_t status = 0;
  char state = '?';
  std::array<char, kPlaceRoom> wchan{};
};

/// What it is told over the same socket, one byte each. The end of the socket is `end`.
enum class KeeperCommand : char {
  finish = 'F',  ///< ranks end by themselves, and are ended after kLeaveTime
  end = 'E'      ///< TERM, KILL, give up
};

constexpr std::chrono::milliseconds kLeaveTime{700};
constexpr std::chrono::milliseconds kTermTime{2000};
constexpr std::chrono::milliseconds kKillTime{1000};

/// A keeper's orders. All descriptors are the keeper's ends.
struct KeeperSetup {
  std::string executable;
  std::vector<std::vector<std::string>> arguments;  ///< of each rank, its name first
  std::vector<std::string> environment;
  std::vector<int> channels;
  std::vector<int> outputs;
  int board = -1;
  int control = -1;
  const Cgroup* cgroup = nullptr;  ///< may be null
  Privilege privilege;
};

/// Forks the keeper of a team: a subreaper in a session of its own, which starts the ranks and ends them and all that
/// they started when it is told to, or when this process is gone. It keeps none of this process' other descriptors. -1
/// and `errno` where there can be no further process. The calling process must have one thread only.
[[nodiscard]] pid_t fork_keeper(const KeeperSetup& setup);

}  // namespace gpucoop::probe
