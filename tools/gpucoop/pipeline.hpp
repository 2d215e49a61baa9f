#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "gpu_selection.hpp"
#include "model/recording.hpp"
#include "model/report.hpp"
#include "options.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Reads the inputs, or the running host where none is named. What was read from the host itself, or from a copy of its
/// sysfs, says when, and its texts are those that a recording may have (`admit`). `probe_results`: a file with results
/// of probes on that host (a report or a recording), which then are its measurements; "" for none.
[[nodiscard]] Result<Recording> load_recording(const InputOptions& inputs, const Rules& rules,
                                               const std::string& probe_results = {});

/// Reads the inputs, or the running host where none is named, analyses and judges them; results of probes that were
/// given or are in a recording count. `selection`: the GPUs that are judged, instead of the sets that are chosen; of a
/// host without a GPU (`no_gpu`) nothing is selected.
[[nodiscard]] Result<Report> load_report(const InputOptions& inputs, const Rules& rules,
                                         const std::string& probe_results = {},
                                         const std::optional<GpuSelection>& selection = {});

/// A recording, with the results of probes that are in it, analysed and judged.
[[nodiscard]] Result<Report> judge_recording(const Recording& recording, const Rules& rules,
                                             const std::optional<GpuSelection>& selection);

/// RFC 3339, UTC; SOURCE_DATE_EPOCH fixes it.
[[nodiscard]] std::string current_time();

/// One reading of a host in one file: a report as it stands, anything else that can be read analysed and judged.
[[nodiscard]] Result<Report> load_reading(const std::string& file, const Rules& rules);

/// Why a report with no usable GPU says so, as the error of exit code 69; nullopt where it has one.
[[nodiscard]] Status no_gpu(const Report& report);

}  // namespace gpucoop
