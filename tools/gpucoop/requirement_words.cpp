#include "requirement_words.hpp"

#include <algorithm>
#include <optional>

#include "base/nearest.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMostDigits = 4;  // no host has more GPUs

Error no_such(const std::string& what, const std::string& id, const std::vector<std::string>& ids) {
  std::string next;
  for (const auto& near : nearest(id, ids, 3)) next += (next.empty() ? "did you mean " : " or ") + near;
  if (!next.empty()) next += "?\n";
  std::string all;
  for (const auto& one : ids) all += (all.empty() ? "" : ", ") + one;
  return {ExitCode::usage, "there is no " + what + " '" + id + "'", "", next + "there are: " + all};
}

std::vector<std::string> mode_ids(const Rules& rules) {
  std::vector<std::string> ids;
  for (const ModeRule& mode : rules.modes) ids.push_back(mode.id);
  return ids;
}

std::optional<unsigned> count(const std::string& text) {
  if (text.empty() || text.size() > kMostDigits || text.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  const auto n = static_cast<unsigned>(std::stoul(text));
  return n == 0 ? std::nullopt : std::optional<unsigned>(n);
}

Result<Requirement> parse_one(const std::string& word, const Rules& rules) {
  const auto equals = word.find('=');
  Requirement requirement;
  requirement.mode = word.substr(0, equals);
  if (find_mode(rules, requirement.mode) == nullptr) return no_such("mode", requirement.mode, mode_ids(rules));
  if (equals == std::string::npos) return requirement;
  requirement.at_least = count(word.substr(equals + 1));
  if (!requirement.at_least) {
    return Error{ExitCode::usage,
                 "--require " + word + ": '" + word.substr(equals + 1) + "' is no number of GPUs from 1", "",
                 "as in --require " + requirement.mode + "=2: at least two GPUs"};
  }
  return requirement;
}

}  // namespace

Result<std::vector<Requirement>> parse_requirements(const std::vector<std::string>& words, const std::string& engine,
                                                    const Rules& rules) {
  if (words.empty()) {
    return Error{ExitCode::usage, "verdict needs to know what is required", "",
                 "as in gpucoop verdict --require tensor, or --require tensor=4 for at least four GPUs\n"
                 "gpucoop explain lists the modes"};
  }
  if (!engine.empty() && find_engine(rules, engine) == nullptr) {
    std::vector<std::string> ids;
    for (const EngineRule& rule : rules.engines) ids.push_back(rule.id);
    return no_such("engine", engine, ids);
  }
  std::vector<Requirement> requirements;
  for (const std::string& word : words) {
    auto requirement = parse_one(word, rules);
    if (!requirement) return requirement.error();
    requirement.value().engine = engine;
    requirements.push_back(std::move(requirement).value());
  }
  return requirements;
}

}  // namespace gpucoop
