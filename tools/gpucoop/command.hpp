#pragma once

#include <functional>

#include "base/error.hpp"

namespace CLI {
class App;
}

namespace gpucoop {

/// What the chosen subcommand does once every option is read.
using Action = std::function<ExitCode()>;

/// Each adds its subcommand to `app`; where it is chosen, parsing sets `action`. One file cmd_NAME.cpp each,
/// listed in command_line.cpp.
void add_topo(CLI::App& app, Action& action);
void add_probe(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_record(CLI::App& app, Action& action);
void add_diff(CLI::App& app, Action& action);
void add_verdict(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);

}  // namespace gpucoop
