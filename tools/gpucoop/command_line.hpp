#pragma once

#include "base/error.hpp"

namespace gpucoop {

/// Parses the command line, runs the chosen subcommand and gives the exit code of the process.
/// Parse errors of any kind are `ExitCode::usage`, with a message that names the nearest right word.
[[nodiscard]] ExitCode run_command_line(int argc, const char* const* argv);

}  // namespace gpucoop
