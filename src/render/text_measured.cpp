#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {
namespace {

/// The runs that a reader takes for one: how often each outcome came.
struct Runs {
  std::string name;
  std::vector<std::pair<ProbeState, std::size_t>> outcomes;
};

std::string name_of(const ProbeRun& run) {
  std::string name = run.op.empty() ? run.rung : run.op;
  if (!run.library_name.empty()) {
    name += " with " + run.library_name + (run.library_version.empty() ? "" : " " + run.library_version);
  }
  if (!run.variant.empty()) name += " under " + run.variant;
  return name;
}

std::string told(const Runs& runs) {
  std::string text = runs.name + " ";
  const bool all_alike = runs.outcomes.size() == 1;
  for (std::size_t i = 0; i < runs.outcomes.size(); ++i) {
    const auto& [state, count] = runs.outcomes[i];
    std::string word(to_string(state));
    if (word == "wrong-data") word = "gave wrong data";
    if (i > 0) text += ", ";
    text += word;
    if (!all_alike || count > 1) text += " " + std::to_string(count) + (count == 1 ? " time" : " times");
  }
  return text;
}

}  // namespace

std::string measured_sentence(const Report& report) {
  if (report.measured_at.empty() && report.probes.empty()) return "Nothing was measured.";
  std::vector<Runs> all;
  for (const ProbeRun& run : report.probes) {
    auto name = name_of(run);
    auto it = std::find_if(all.begin(), all.end(), [&](const Runs& r) { return r.name == name; });
    if (it == all.end()) it = all.insert(all.end(), Runs{std::move(name), {}});
    auto& outcomes = it->outcomes;
    auto same = std::find_if(outcomes.begin(), outcomes.end(), [&](const auto& o) { return o.first == run.state; });
    if (same == outcomes.end()) same = outcomes.insert(outcomes.end(), {run.state, 0});
    ++same->second;
  }
  std::string text = "Measured";
  if (!report.measured_at.empty()) text += " on " + report.measured_at.substr(0, report.measured_at.find('T'));
  constexpr std::size_t kMost = 12;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) text += (i == 0 ? ": " : "; ") + told(all[i]);
  if (all.size() > kMost) text += "; and " + std::to_string(all.size() - kMost) + " more";
  return text + ".";
}

}  // namespace gpucoop::text
