#pragma once

#include <string>

#include "model/diff.hpp"
#include "render/render.hpp"

namespace gpucoop {

/// For people: verdicts first, then what explains them. `verbose`: also facts that no mode rests on, where the diff
/// holds them.
[[nodiscard]] std::string render_diff_text(const Diff& diff, const TextOptions& options);

/// The contract `gpucoop.diff/1`, whose schema is diff.schema.json.
[[nodiscard]] std::string render_diff_json(const Diff& diff);

}  // namespace gpucoop
