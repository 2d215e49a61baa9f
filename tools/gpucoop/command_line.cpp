#include "command_line.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "base/version.hpp"
#include "command.hpp"
#include "streams.hpp"

namespace gpucoop {
namespace {

struct Command {
  std::string_view name;
  void (*add)(CLI::App&, Action&);
};
constexpr Command kCommands[] = {{"topo", add_topo},       {"probe", add_probe},     {"verdict", add_verdict},
                                 {"inspect", add_inspect}, {"explain", add_explain}, {"record", add_record},
                                 {"diff", add_diff}};

/// The one that is named first, or all of them: making the options of the others takes as long as reading a host.
void add_commands(CLI::App& app, const char* named, Action& action) {
  const auto chosen = std::find_if(std::begin(kCommands), std::end(kCommands),
                                   [&](const Command& command) { return named != nullptr && command.name == named; });
  if (chosen != std::end(kCommands)) return chosen->add(app, action);
  for (const auto& command : kCommands) command.add(app, action);
}

std::string nearest_one(const std::string& word, const std::vector<std::string>& words) {
  const auto found = nearest(word, words, 1);
  return found.empty() ? std::string() : found.front();
}

std::vector<std::string> names(const std::vector<CLI::App*>& commands) {
  std::vector<std::string> result;
  result.reserve(commands.size());
  for (const CLI::App* command : commands) result.push_back(command->get_name());
  return result;
}

ExitCode usage(const std::string& what, const std::string& next) {
  print_error({ExitCode::usage, what, "", next});
  return ExitCode::usage;
}

ExitCode unknown_command(CLI::App& app, const std::string& word) {
  const std::string near = nearest_one(word, names(app.get_subcommands(nullptr)));
  return usage("there is no subcommand '" + word + "'",
               near.empty() ? "gpucoop --help lists the subcommands" : "did you mean `gpucoop " + near + "`?");
}

ExitCode parse_failed(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& where = chosen.empty() ? app : *chosen.front();
  const std::string help = chosen.empty() ? "gpucoop --help" : "gpucoop " + where.get_name() + " --help";
  const auto extra = where.remaining();
  if (!extra.empty()) {
    std::vector<std::string> words;
    for (const CLI::Option* option : where.get_options()) {
      for (const auto& name : option->get_lnames()) words.push_back("--" + name);
    }
    const std::string word = extra.front().substr(0, extra.front().find('='));
    const std::string near = word.rfind("--", 0) == 0 ? nearest_one(word, words) : "";
    const std::string what =
        word.rfind('-', 0) == 0 ? "there is no option '" + word + "'" : "'" + word + "' is one word too many";
    return usage(what, near.empty() ? help + " lists the options" : "did you mean " + near + "?");
  }
  return usage(error.what(), help + " lists the options");
}

}  // namespace

ExitCode run_command_line(int argc, const char* const* argv) {
  CLI::App app{"Can the GPUs in this Linux host work together, how, and if not, what exactly\nstands in the way?",
               "gpucoop"};
  app.set_version_flag("--version", std::string("gpucoop ") + kVersion, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  const auto first = std::find_if(argv + std::min(argc, 1), argv + argc, [](const char* a) { return a[0] != '-'; });
  Action action;
  add_commands(app, first == argv + argc ? nullptr : *first, action);

  // Looked at first: CLI11 would only say that an argument was not expected.
  if (first != argv + argc) {
    const auto known = names(app.get_subcommands(nullptr));
    if (std::find(known.begin(), known.end(), *first) == known.end()) return unknown_command(app, *first);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream out;
    app.exit(wanted, out, out);
    const auto error = write_all(STDOUT_FILENO, out.str(), "standard output");
    if (error) print_error(*error);
    return error ? error->code : ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    return parse_failed(app, error);
  }
  if (!action) return usage("no subcommand given", "gpucoop --help lists the subcommands");
  return action();
}

}  // namespace gpucoop
