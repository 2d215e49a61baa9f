#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu_selection.hpp"
#include "model/recording.hpp"
#include "model/report.hpp"
#include "probe/outcome.hpp"
#include "probe_options.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What is probed: the GPUs of this host that are judged together, or simulated devices.
struct ProbeTarget {
  std::string backend;
  std::vector<Address> devices;           ///< one rank each
  bool simulated = false;                 ///< then there is no recording
  Recording recording;                    ///< of this host, as it was before
  Topology topology;                      ///< of the same, or of simulated devices
  std::optional<GpuSelection> selection;  ///< `--gpus`
};

/// Reads this host and chooses. `no_gpu` where it has none that can be probed: `auto` never falls back to simulated
/// ones.
[[nodiscard]] Result<ProbeTarget> choose_target(const ProbeOptions& options, const Rules& rules);

/// What the ways between the GPUs can carry at best, where that is wholly known: a link that may be beside a fabric
/// that nobody has read of bounds nothing.
[[nodiscard]] probe::Ceilings ceilings_of(const Topology& topology);

/// What the probe found, analysed and judged like everything else.
[[nodiscard]] Result<Report> report_of(const ProbeTarget& target, Measurements measured, const Rules& rules);

}  // namespace gpucoop
