#pragma once

#include "base/error.hpp"
#include "model/report.hpp"
#include "options.hpp"

namespace gpucoop {

/// `usage` where there is no input or standard input is named twice.
[[nodiscard]] Status nothing_to_read(const InputOptions& inputs);

/// Reads the inputs, analyses and judges them.
[[nodiscard]] Result<Report> load_report(const InputOptions& inputs);

/// Why a report with no usable GPU says so, as the error of exit code 69; nullopt where it has one.
[[nodiscard]] Status no_gpu(const Report& report);

}  // namespace gpucoop
