#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace gpucoop {

/// Makes the standard streams safe to use: a closed one cannot be taken by the next file opened, and a reader
/// that goes away is an error of the write, not a signal.
void prepare_streams();

/// Reads a regular file, a pipe, or standard input for `-`. `no_such_input` where there is no such file or it is
/// a directory, `permission` where it may not be read, `bad_input` above 1 GiB.
[[nodiscard]] Result<std::string> read_file(const std::string& name);

/// Writes all of `bytes`; EPIPE counts as success because the reader has seen all it wanted.
[[nodiscard]] Status write_all(int fd, std::string_view bytes, std::string_view name);

/// `gpucoop: where: what`, then `  next: …` (each of its lines), on standard error, control characters escaped.
void print_error(const Error& error);
/// Prints it and gives its code.
[[nodiscard]] ExitCode fail(const Error& error);
/// `gpucoop: text` on standard error.
void print_note(std::string_view text);

}  // namespace gpucoop
