#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace gpucoop::probe {

/// What a program writes to standard output, for questions that only a vendor's library can answer: a child runs it,
/// with the rights and the environment of a rank (probe/privilege.hpp), without standard input and error and with none
/// of this process' descriptors. It dies with this process. `arguments`: its name first. `internal` where it cannot be
/// run, ends otherwise than with 0, writes more than `most` bytes or has not ended after `deadline`, when it is killed;
/// one that the kernel cannot end is left behind, so that this returns within the deadline and half a second.
[[nodiscard]] Result<std::string> ask_program(const std::string& executable, const std::vector<std::string>& arguments,
                                              std::chrono::milliseconds deadline, std::size_t most);

}  // namespace gpucoop::probe
