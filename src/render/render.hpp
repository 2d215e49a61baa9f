#pragma once

#include <string>

#include "model/report.hpp"

namespace gpucoop {

struct TextOptions {
  bool color = false;
  bool verbose = false;
  unsigned columns = 80;
};

/// The view for people: the answer first, then each GPU's chain. Control characters are always escaped.
[[nodiscard]] std::string render_text(const Report& report, const TextOptions& options);

/// The answer alone: one line of any length with a final newline.
[[nodiscard]] std::string render_answer(const Report& report, const TextOptions& options);

/// The contract `gpucoop.report/1`, pretty-printed, with a final newline.
[[nodiscard]] std::string render_json(const Report& report);

}  // namespace gpucoop
