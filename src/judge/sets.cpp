#include "judge/sets.hpp"

#include <algorithm>

namespace gpucoop {

namespace {

// More than any host has today; facts about pairs are gathered for as many. Without a bound, damaged input would take
// quadratic time.
constexpr std::size_t kMostInSet = 64;
constexpr std::size_t kMostLeftOut = 256;

std::string text_of(const FactIndex& facts, std::string_view id, const Address& gpu) {
  const auto* text = facts.text(id, focus_on(gpu));
  return text == nullptr ? std::string() : *text;
}

bool is(const FactIndex& facts, std::string_view id, const Address& gpu, bool value) {
  const auto* fact = facts.find(id, focus_on(gpu));
  return fact != nullptr && fact->value.is(FactValue(value));
}

void add(std::vector<Candidates>& groups, const std::string& vendor, const Address& gpu, bool integrated) {
  auto group = std::find_if(groups.begin(), groups.end(), [&](const Candidates& c) { return c.vendor == vendor; });
  if (group == groups.end()) group = groups.insert(groups.end(), Candidates{{}, vendor, integrated});
  group->gpus.push_back(gpu);
}

}  // namespace

Selection select_sets(const FactIndex& facts) {
  Selection selection;
  std::vector<Candidates> discrete;
  std::vector<Candidates> integrated;
  for (const auto& gpu : facts.gpus()) {
    selection.any_gpu = true;
    if (is(facts, "gpu.compute", gpu, false)) {
      selection.left_out.push_back({gpu, "only a display", false});
    } else if (is(facts, "gpu.present", gpu, false)) {
      selection.left_out.push_back({gpu, "does not answer on the bus", true});
    } else if (is(facts, "gpu.driver_usable", gpu, false)) {
      const auto driver = text_of(facts, "gpu.driver", gpu);
      selection.left_out.push_back({gpu, driver.empty() ? "its driver cannot compute" : "bound to " + driver, true});
    } else {
      auto vendor = text_of(facts, "gpu.vendor", gpu);
      if (vendor.empty()) vendor = "other";
      const bool inside = is(facts, "gpu.integrated", gpu, true);
      add(inside ? integrated : discrete, vendor, gpu, inside);
    }
  }
  if (!discrete.empty()) {
    for (const auto& group : integrated) {
      for (const auto& gpu : group.gpus) selection.left_out.push_back({gpu, "integrated", true});
    }
  }
  auto& groups = discrete.empty() ? integrated : discrete;
  std::size_t largest = 0;
  for (const auto& group : groups) largest = std::max(largest, group.gpus.size());
  for (auto& group : groups) {
    if (group.gpus.size() == largest) {
      if (group.gpus.size() > kMostInSet) {
        selection.not_judged += group.gpus.size() - kMostInSet;
        group.gpus.resize(kMostInSet);
      }
      selection.sets.push_back(std::move(group));
      continue;
    }
    for (const auto& gpu : group.gpus) selection.left_out.push_back({gpu, "of another vendor", true});
  }
  std::sort(selection.left_out.begin(), selection.left_out.end(),
            [](const LeftOut& a, const LeftOut& b) { return a.gpu < b.gpu; });
  if (selection.left_out.size() > kMostLeftOut) {
    selection.not_judged += selection.left_out.size() - kMostLeftOut;
    selection.left_out.resize(kMostLeftOut);
  }
  return selection;
}

}  // namespace gpucoop
