#pragma once

#include "model/report.hpp"
#include "render/json_value.hpp"

// Internal to the JSON views: entries that reports and explanations share.
namespace gpucoop::json {

[[nodiscard]] Value fact(const Fact& fact);
[[nodiscard]] Value remedy(const Remedy& remedy);
[[nodiscard]] Value log_finding(const LogFinding& finding);

}  // namespace gpucoop::json
