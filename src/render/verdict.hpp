#pragma once

#include <string>

#include "model/requirement.hpp"
#include "render/render.hpp"

namespace gpucoop {

/// For people: what became of each requirement, what would change it, what settles it, what to tell the engines.
[[nodiscard]] std::string render_verdict_text(const Report& report, const Verdict& verdict, const TextOptions& options);

/// One line of any length with a final newline.
[[nodiscard]] std::string render_verdict_line(const Report& report, const Verdict& verdict);

/// The report with `requirements` and `exit_code`.
[[nodiscard]] std::string render_verdict_json(const Report& report, const Verdict& verdict);

}  // namespace gpucoop
