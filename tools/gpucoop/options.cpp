#include "options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>

namespace gpucoop {
namespace {

// A validator without a description, so that --help shows the words once, as the option's type.
template <class T>
CLI::Option* add_words(CLI::App& command, const std::string& names, T& target, const std::map<std::string, T>& words,
                       const std::string& shown, const std::string& description) {
  return command
      .add_option_function<std::string>(
          names, [&target, words](const std::string& word) { target = words.at(word); }, description)
      ->type_name(shown)
      ->check([words, shown](const std::string& word) {
        return words.count(word) != 0 ? std::string() : "'" + word + "' is none of " + shown;
      });
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

void add_input_options(CLI::App& command, InputOptions& options) {
  command
      .add_option("--from", options.from,
                  "A recorded host: a recording, lspci text or hex\ndump, kernel log, hwloc or NCCL XML; `-` "
                  "is\nstandard input. Repeat it for more files about\nthe same host.")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--sysroot", options.sysroot,
                  "A copy of a host's sysfs and procfs: DIR/sys and\nDIR/proc; `/` is this host, as without this and\n"
                  "--from. With it, --from adds a kernel log or XML.")
      ->type_name("DIR");
  command.add_option("--dump", options.dump, "Take the Nth host where the inputs hold several")
      ->type_name("N")
      ->check([](const std::string& text) {
        const bool number = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
        return number && std::strtoul(text.c_str(), nullptr, 10) > 0 ? std::string()
                                                                     : "'" + text + "' is no number from 1";
      });
}

void add_output_options(CLI::App& command, OutputOptions& options, bool junit) {
  std::map<std::string, Format> formats = {{"text", Format::text}, {"json", Format::json}};
  if (junit) formats.emplace("junit", Format::junit);
  add_words<Format>(command, "--format", options.format, formats, junit ? "text|json|junit" : "text|json",
                    junit ? "Text for people (default), JSON for programs or\nJUnit XML for test reports"
                          : "Text for people (default) or JSON for programs");
  command.add_option("-o,--output", options.file, "Write to this file; an existing one is kept")->type_name("FILE");
  command.add_flag("--overwrite", options.overwrite, "Let -o replace an existing file");
  add_words<ColorMode>(command, "--color", options.color,
                       {{"auto", ColorMode::automatic}, {"always", ColorMode::always}, {"never", ColorMode::never}},
                       "auto|always|never", "Colour in text (auto: on a terminal where\nNO_COLOR is not set)");
  command.add_flag("-q,--quiet", options.quiet, "One line of text: the answer");
  command.add_flag("-v,--verbose", options.verbose, "Everything that is known, with its evidence");
}

void add_file_options(CLI::App& command, OutputOptions& options) {
  command
      .add_option("-o,--output", options.file, "Write to this file, an existing one is kept;\n`-` is standard output")
      ->type_name("FILE")
      ->required();
  command.add_flag("--overwrite", options.overwrite, "Let -o replace an existing file");
  command.add_flag("-q,--quiet", options.quiet, "Say nothing where all went well");
}

void add_library_options(CLI::App& command, InputOptions& options) {
  command
      .add_option("--library", options.libraries,
                  "Judge with this librccl or libnccl instead of\nwhat the host has; repeat it for other GPUs")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_flag("--inspect", options.inspect,
                   "Look into the host's collective libraries in any\ncase, and not only where PCIe atomics are in\n"
                   "doubt for an AMD GPU");
}

Status conflict(const InputOptions& options) {
  if (options.inspect && !options.from.empty() && !options.sysroot) {
    return Error{ExitCode::usage, "--inspect looks for the libraries of this host, and --from names another", "",
                 "name the library with --library FILE"};
  }
  if (options.dump && (options.from.empty() || options.sysroot)) {
    return Error{ExitCode::usage, "--dump chooses among the hosts of recorded inputs", "",
                 "name them with --from FILE"};
  }
  if (std::count(options.from.begin(), options.from.end(), "-") > 1) {
    return Error{ExitCode::usage, "standard input can be read only once", "--from -", "name each input once"};
  }
  return std::nullopt;
}

Status conflict(const OutputOptions& options) {
  if (options.quiet && options.verbose) {
    return Error{ExitCode::usage, "--quiet and --verbose exclude each other", "", "leave one out"};
  }
  if (options.quiet && options.format != Format::text) {
    const std::string format = options.format == Format::json ? "JSON" : "JUnit XML";
    return Error{ExitCode::usage, "--quiet is for text; " + format + " is always whole", "", "leave one out"};
  }
  return std::nullopt;
}

bool wants_color(const OutputOptions& options) {
  if (options.color != ColorMode::automatic) return options.color == ColorMode::always;
  const bool to_terminal = (options.file.empty() || options.file == "-") && ::isatty(STDOUT_FILENO) == 1;
  return to_terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

}  // namespace gpucoop
