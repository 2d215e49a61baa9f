#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace CLI {
class App;
}

namespace gpucoop {

/// `--from` and `--dump`: recorded inputs, all of one host. `--sysroot`: a copy of a host's sysfs and procfs.
/// None of them: the running host.
struct InputOptions {
  std::vector<std::string> from;
  std::optional<unsigned> dump;
  std::optional<std::string> sysroot;
  std::vector<std::string> libraries;  ///< `--library`: those that count, instead of what the host has
  bool own_libraries = false;          ///< the command looks into libraries itself, and nothing else has to
  bool inspect = false;                ///< `--inspect`: look for the host's libraries even where no gate hangs on them

  [[nodiscard]] bool named() const { return !from.empty() || sysroot; }
};
void add_input_options(CLI::App& command, InputOptions& options);
/// `--library` and `--inspect`.
void add_library_options(CLI::App& command, InputOptions& options);
/// Options that cannot be combined, as a `usage` error.
[[nodiscard]] Status conflict(const InputOptions& options);

enum class Format { text, json, junit };
enum class ColorMode { automatic, always, never };

/// `--format`, `-o`, `--overwrite`, `--color`, `--quiet`, `--verbose`.
struct OutputOptions {
  Format format = Format::text;
  std::string file;  ///< empty or `-`: standard output
  bool overwrite = false;
  ColorMode color = ColorMode::automatic;
  bool quiet = false;
  bool verbose = false;
};
void add_output_options(CLI::App& command, OutputOptions& options, bool junit = false);
/// Only `-o`, which is required, `--overwrite` and `--quiet`: for commands that make a file.
void add_file_options(CLI::App& command, OutputOptions& options);
/// Options that cannot be combined, as a `usage` error.
[[nodiscard]] Status conflict(const OutputOptions& options);

/// Whether text may carry colour: `--color`, and for `auto` a terminal at standard output and no NO_COLOR.
[[nodiscard]] bool wants_color(const OutputOptions& options);

}  // namespace gpucoop
