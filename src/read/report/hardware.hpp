#pragma once

#include "model/report.hpp"
#include "read/report/node.hpp"

namespace gpucoop::report_file {

/// The parts of a report that say what is in the host.
[[nodiscard]] HostSummary read_host(const Node& node);
[[nodiscard]] Gpu read_gpu(const Node& node);
[[nodiscard]] Pair read_pair(const Node& node);

}  // namespace gpucoop::report_file
