#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "collective/nccl/abi.hpp"
#include "collective/nccl/log_tap.hpp"

namespace gpucoop::collective::nccl {

/// What the communicators of a process have in common.
struct Session {
  std::shared_ptr<const Abi> abi;
  LogTap* log = nullptr;
  bool blocking = false;
  std::chrono::milliseconds call_limit{30000};

  std::uint64_t communicators = 0;  ///< made so far: the last one's number
  unsigned group_depth = 0;
  std::vector<void*> grouped;  ///< communicators used in the open group, each once
};

/// Asks a communicator until it no longer says "in progress". `code`: what the call gave.
[[nodiscard]] runtime::Outcome<> finish(const Session& session, const char* function, int code, void* communicator,
                                        runtime::Deadline deadline);

/// Does what may never come back in a thread of its own, and leaves it there at the deadline. Gives what it gave.
[[nodiscard]] runtime::Outcome<int> aside(const char* function, runtime::Deadline deadline, std::function<int()> what);

}  // namespace gpucoop::collective::nccl
