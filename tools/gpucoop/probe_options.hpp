#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "options.hpp"
#include "probe/plan.hpp"
#include "rules_option.hpp"

namespace CLI {
class App;
}

namespace gpucoop {

struct ProbeOptions {
  bool dispatch = false;
  bool p2p = false;
  bool collective = false;
  bool all = false;
  std::optional<std::string> groups;
  std::string backend = "auto";
  std::optional<unsigned> ranks;
  std::optional<std::string> gpus;
  std::optional<std::string> library;     ///< of collectives, a file
  std::vector<std::string> environments;  ///< of Python, to look for it first
  std::optional<double> timeout;
  double budget = 60;
  unsigned soak = 0;
  bool allow_display = false;
  bool force = false;
  bool dry_run = false;
  std::vector<std::string> inject;
  std::vector<std::string> recorded;  ///< hosts that cannot be probed
  RulesOptions rules;
  OutputOptions output;
};

void add_probe_options(CLI::App& command, ProbeOptions& options);
/// Options that cannot be combined, as a `usage` error.
[[nodiscard]] Status conflict(const ProbeOptions& options);
/// The parts of the ladder that are asked for; empty: the default.
[[nodiscard]] std::set<probe::Area> areas_of(const ProbeOptions& options);

}  // namespace gpucoop
