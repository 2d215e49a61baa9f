#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/probe.hpp"
#include "model/recording.hpp"
#include "model/report.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Results of probes, and what a person should know about how they were read.
struct ProbeResults {
  Measurements measured;
  std::vector<Warning> warnings;
};

/// Takes out of a report (`gpucoop.report/1`) what probes found on its host: the runs, and the facts that the catalogue
/// and the report itself count as queried or probed. A recording with embedded results is taken as well. `bad_input`
/// for what is neither, for values of a wrong type, addresses that are none, results of a simulated run and a file
/// without results; names the place (`file:line` or `file: /facts/3/value`). Facts that this version does not know are
/// left out with a warning.
[[nodiscard]] Result<ProbeResults> read_measurements(const std::string& name, std::string_view bytes,
                                                     const Rules& rules);

/// Whether the bytes look like a report (`gpucoop.report/…`) rather than anything else that can be read.
[[nodiscard]] bool is_report(std::string_view bytes);

/// Reads a report as far as two are compared: host, GPUs with their chains, pairs, facts, modes, engines and probes.
/// Its one source is the file. `bad_input` as for `read_measurements`.
[[nodiscard]] Result<Report> read_report(const std::string& name, std::string_view bytes);

}  // namespace gpucoop
