#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/report.hpp"

namespace gpucoop {

/// What somebody demands of a host: `tensor=4`.
struct Requirement {
  std::string mode;                  ///< mode id
  std::string engine;                ///< engine id: its ways of using the mode are judged; empty: the mode itself
  std::optional<unsigned> at_least;  ///< how many GPUs must take part; none: those of the set
};

/// `tensor=4`, `tensor with vllm`.
[[nodiscard]] std::string to_string(const Requirement& requirement);

/// What became of a requirement: the answer for the GPUs of `set`.
struct RequirementVerdict : Answer {
  Requirement requirement;
  bool part = false;      ///< they are a part of a judged set, which as a whole is worse off
  bool accepted = false;  ///< what is expected was taken for the outcome
  bool hung = false;      ///< the fact that decides comes from a probe that hung
  ExitCode exit_code = ExitCode::unknown;
  std::optional<BestSubset> best;    ///< of the set, where only a part of it can
  std::optional<EngineVerdict> way;  ///< of the engine that was asked for: the best of those known
};

/// The answer to all requirements.
struct Verdict {
  std::vector<RequirementVerdict> requirements;
  ExitCode exit_code = ExitCode::ok;
};

/// The exit code of a command for which several hold: the first of 70, 75, 69, 4, 1, 3, 2; 0 where none of these does.
[[nodiscard]] ExitCode gravest(const std::vector<ExitCode>& codes);

/// `yes`, `no`, `hung`, `unknown, expected no`, `expected, unproven`: in the words of the exit codes.
[[nodiscard]] std::string outcome(const RequirementVerdict& verdict);

}  // namespace gpucoop
