#include "judge/subset.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "judge/outcome_words.hpp"
#include "judge/words.hpp"

namespace gpucoop {

namespace {

// So many parts that probes have tried are looked at: eight GPUs have 28 pairs.
constexpr std::size_t kMostTried = 64;

bool stands(ModeState state) { return state == ModeState::yes || state == ModeState::degraded; }

/// 3 for a proven yes down to 0 for what is only expected to be limited; nothing for what does not stand.
std::optional<int> rank(const Standing& here) {
  if (here.state == ModeState::yes) return 3;
  if (here.state == ModeState::degraded) return 2;
  if (here.state == ModeState::no || !here.expected.is_known() || !stands(here.expected.value())) return std::nullopt;
  return here.expected.value() == ModeState::yes ? 1 : 0;
}

/// The GPUs that the failures are about: those that fail by themselves, else the one in most of the failing pairs.
std::vector<Address> to_blame(const std::vector<const Outcome*>& failed) {
  std::vector<Address> alone;
  std::map<Address, std::size_t> in_pairs;
  for (const auto* outcome : failed) {
    for (const auto& leaf : outcome->leaves) {
      if (leaf.focus.size == 1) add_once(alone, leaf.focus.of[0]);
      if (leaf.focus.size != 2) continue;
      for (const auto& gpu : leaf.focus) ++in_pairs[gpu];
    }
  }
  if (!alone.empty()) return alone;
  // Of equals the last: the first GPU is most often the one that a person means.
  std::vector<Address> worst;
  std::size_t most = 1;
  for (const auto& [gpu, count] : in_pairs) {
    if (count < most) continue;
    most = count;
    worst = {gpu};
  }
  return worst;
}

BestSubset described(const std::vector<Address>& gpus, const Standing& here, const std::string& why) {
  return {gpus, here.state, here.expected, why};
}

}  // namespace

std::vector<std::vector<Address>> tried_parts(const std::vector<Fact>& facts, const std::vector<Address>& set) {
  std::vector<std::vector<Address>> parts;
  for (const auto& fact : facts) {
    const auto& of = fact.subject.of;
    if (fact.subject.kind != SubjectKind::set || fact.tier != Tier::probed || of.size() < 2 ||
        of.size() >= set.size()) {
      continue;
    }
    // In the set's order, so that one part is not looked at under two names.
    std::vector<Address> part;
    for (const auto& gpu : set) {
      if (std::find(of.begin(), of.end(), gpu) != of.end()) part.push_back(gpu);
    }
    if (part.size() == of.size() && parts.size() < kMostTried) add_once(parts, part);
  }
  return parts;
}

std::optional<BestSubset> best_subset(const Question& question, const std::vector<Address>& set,
                                      std::string_view vendor, const std::vector<std::vector<Address>>& tried,
                                      Evaluators& evaluators) {
  std::optional<BestSubset> best;
  std::optional<int> best_rank;
  std::vector<std::string> reasons;
  auto rest = set;
  while (rest.size() >= 2) {
    const auto& evaluator = evaluators.of(rest, vendor);
    const auto here = standing(question, evaluator);
    if (const auto found = rank(here)) {
      if (rest.size() < set.size()) {
        std::string why;
        for (const auto& reason : reasons) why += (why.empty() ? "" : "; ") + reason;
        best = described(rest, here, why);
        best_rank = found;
      }
      break;
    }
    const auto blamed = to_blame(here.failed);
    if (blamed.empty()) break;
    add_once(reasons, failure_words(*here.failed.front(), evaluator, {}, here.state != ModeState::no));
    rest = without(rest, blamed);
  }
  for (const auto& part : tried) {
    if (best && part.size() < best->gpus.size()) continue;
    const auto here = standing(question, evaluators.of(part, vendor));
    const auto found = rank(here);
    if (!found || (best && part.size() == best->gpus.size() && *found <= *best_rank)) continue;
    best = described(part, here, "all together do not");
    best_rank = found;
  }
  return best;
}

}  // namespace gpucoop
