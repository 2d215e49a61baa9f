#pragma once

#include <string>

#include "model/inspection.hpp"
#include "render/render.hpp"

namespace gpucoop {

/// For people: each library, and what it is to each GPU. `verbose`: also every target, the names of kernels that
/// declare a hostcall buffer, archives and plugins.
[[nodiscard]] std::string render_inspection_text(const Inspection& inspection, const TextOptions& options);

/// The answer alone: one line of any length with a final newline.
[[nodiscard]] std::string render_inspection_line(const Inspection& inspection);

/// The contract `gpucoop.inspection/1`, whose schema is inspection.schema.json.
[[nodiscard]] std::string render_inspection_json(const Inspection& inspection);

}  // namespace gpucoop
