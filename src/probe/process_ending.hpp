#pragma once

#include <cstdint>
#include <vector>

namespace gpucoop::probe {

/// Sends `signal` to these process groups and to every process that comes from this one; with SIGTERM also SIGCONT, so
/// that one that is stopped takes it. A process that was re-parented to this subreaper is among them.
void signal_all(const std::vector<std::int32_t>& groups, int signal);

/// Sends SIGKILL to a child of this process that it has not waited for.
void kill_process(std::int32_t pid);
/// Ends one child of this process by SIGKILL and waits for it for a moment. True once it is gone.
bool end_child(std::int32_t pid);

/// Ends this process.
[[noreturn]] void leave(int code);

}  // namespace gpucoop::probe
