#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "read/report/node.hpp"

namespace gpucoop::report_file {

/// Parses a report and calls `use` with it once its schema is known. What `use` throws as a Mistake, and what is no
/// report, becomes a `bad_input` error with the place (`file:line` or `file: /facts/3/value`).
[[nodiscard]] Status with_document(const std::string& name, std::string_view bytes,
                                   const std::function<void(const Node&)>& use);

/// The facts of the report, as they stand.
[[nodiscard]] Fact read_fact(const Node& node);
/// One run of a probe.
[[nodiscard]] ProbeRun read_run(const Node& node);
/// RFC 3339, UTC, as reports have it; a mistake otherwise.
[[nodiscard]] std::string read_time(const Node& node);

}  // namespace gpucoop::report_file
