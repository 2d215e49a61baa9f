#include "model/requirement.hpp"

#include <algorithm>

namespace gpucoop {

std::string to_string(const Requirement& requirement) {
  std::string text = requirement.mode;
  if (requirement.at_least) text += '=' + std::to_string(*requirement.at_least);
  if (!requirement.engine.empty()) text += " with " + requirement.engine;
  return text;
}

ExitCode gravest(const std::vector<ExitCode>& codes) {
  for (const ExitCode code : {ExitCode::internal, ExitCode::busy, ExitCode::no_gpu, ExitCode::hung, ExitCode::no,
                              ExitCode::unknown, ExitCode::degraded}) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) return code;
  }
  return ExitCode::ok;
}

std::string outcome(const RequirementVerdict& verdict) {
  if (verdict.hung) return "hung";
  if (verdict.state != ModeState::unknown) return std::string(to_string(verdict.state));
  const ModeState expected = verdict.expected.value_or(ModeState::unknown);
  if (expected == ModeState::unknown) return "unknown";
  if (!verdict.accepted) return "unknown, expected " + std::string(to_string(expected));
  return expected == ModeState::yes ? "expected, unproven" : "expected " + std::string(to_string(expected));
}

}  // namespace gpucoop
