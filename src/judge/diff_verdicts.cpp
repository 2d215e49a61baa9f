#include "judge/diff_verdicts.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace gpucoop {
namespace {

using Set = std::vector<Address>;
using Outcome = VerdictChange::Outcome;

Set sorted(Set set) {
  std::sort(set.begin(), set.end());
  return set;
}

/// The addresses that the members have in the later reading; those that are gone are left out.
Set carried(const Set& set, const GpuMatch& match) {
  Set result;
  for (const Address& gpu : set) {
    const auto found = match.to_after.find(gpu);
    if (found != match.to_after.end()) result.push_back(found->second);
  }
  return sorted(std::move(result));
}

std::size_t shared(const Set& a, const Set& b) {
  Set both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

/// Which set of the later reading an earlier one became: that with most GPUs in common, each once. Two readings that
/// judge one set each judge the same one, whatever is in it.
class SetMatch {
 public:
  template <class Verdict>
  SetMatch(const std::vector<Verdict>& before, const std::vector<Verdict>& after, const GpuMatch& match) {
    const auto old_sets = sets_of(before);
    const auto new_sets = sets_of(after);
    std::set<Set> taken;
    for (const Set& old : old_sets) {
      const Set here = carried(old, match);
      const Set* best = nullptr;
      std::size_t most = old_sets.size() == 1 && new_sets.size() == 1 ? 0 : 1;
      for (const Set& now : new_sets) {
        const auto common = shared(here, sorted(now));
        if (common < most || taken.count(now) != 0) continue;
        most = common + 1;
        best = &now;
      }
      if (best == nullptr) continue;
      taken.insert(*best);
      became_.emplace_back(old, *best);
    }
  }

  [[nodiscard]] const Set* after(const Set& before) const {
    const auto found = std::find_if(became_.begin(), became_.end(), [&](const auto& p) { return p.first == before; });
    return found == became_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Set* before(const Set& after) const {
    const auto found = std::find_if(became_.begin(), became_.end(), [&](const auto& p) { return p.second == after; });
    return found == became_.end() ? nullptr : &found->first;
  }

 private:
  template <class Verdict>
  static std::vector<Set> sets_of(const std::vector<Verdict>& verdicts) {
    std::vector<Set> result;
    for (const auto& verdict : verdicts) {
      if (std::find(result.begin(), result.end(), verdict.set) == result.end()) result.push_back(verdict.set);
    }
    return result;
  }

  std::vector<std::pair<Set, Set>> became_;
};

template <class Verdict>
Outcome outcome_of(const Verdict& verdict) {
  return {verdict.state, verdict.state == ModeState::unknown ? verdict.expected : Known<ModeState>(), verdict.why};
}

bool same_outcome(const Outcome& a, const Outcome& b) {
  return a.state == b.state && a.expected.value_or(ModeState::unknown) == b.expected.value_or(ModeState::unknown);
}

/// From what cannot be to what is proven.
int rank(const Outcome& outcome) {
  switch (outcome.state) {
    case ModeState::no: return 0;
    case ModeState::degraded: return 6;
    case ModeState::yes: return 7;
    case ModeState::unknown: break;
  }
  switch (outcome.expected.value_or(ModeState::unknown)) {
    case ModeState::no: return 1;
    case ModeState::unknown: return 3;
    case ModeState::degraded: return 4;
    case ModeState::yes: return 5;
  }
  return 3;
}

int weight(const VerdictChange& change) {
  if (!change.before || !change.after) return 0;
  return std::abs(rank(*change.after) - rank(*change.before));
}

template <class Verdict>
const Verdict* find(const std::vector<Verdict>& verdicts, const std::string& id, const Set& set) {
  const auto found =
      std::find_if(verdicts.begin(), verdicts.end(), [&](const Verdict& v) { return v.id == id && v.set == set; });
  return found == verdicts.end() ? nullptr : &*found;
}

template <class Verdict>
std::vector<VerdictChange> diff_verdicts(const std::vector<Verdict>& before, const std::vector<Verdict>& after,
                                         const GpuMatch& match) {
  const SetMatch sets(before, after, match);
  std::set<std::string> known_before;
  std::set<std::string> known_after;
  for (const auto& verdict : before) known_before.insert(verdict.id);
  for (const auto& verdict : after) known_after.insert(verdict.id);
  std::vector<VerdictChange> result;
  for (const auto& now : after) {
    // What the version that made the other report did not judge at all is no change of the host.
    if (!before.empty() && known_before.count(now.id) == 0) continue;
    const Set* set = sets.before(now.set);
    const Verdict* old = set == nullptr ? nullptr : find(before, now.id, *set);
    if (old != nullptr && same_outcome(outcome_of(*old), outcome_of(now))) continue;
    VerdictChange change{now.id, now.title, {}, now.set, {}, outcome_of(now)};
    if (old != nullptr) {
      change.before_set = old->set;
      change.before = outcome_of(*old);
    }
    result.push_back(std::move(change));
  }
  for (const auto& old : before) {
    if (!after.empty() && known_after.count(old.id) == 0) continue;
    if (sets.after(old.set) != nullptr) continue;
    result.push_back({old.id, old.title, old.set, {}, outcome_of(old), {}});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const VerdictChange& a, const VerdictChange& b) { return weight(a) > weight(b); });
  return result;
}

}  // namespace

std::vector<VerdictChange> diff_modes(const Judgement& before, const Judgement& after, const GpuMatch& match) {
  return diff_verdicts(before.modes, after.modes, match);
}

std::vector<VerdictChange> diff_engines(const Judgement& before, const Judgement& after, const GpuMatch& match) {
  // A report of a version that judged no engines says nothing about them.
  if (before.engines.empty() || after.engines.empty()) return {};
  return diff_verdicts(before.engines, after.engines, match);
}

}  // namespace gpucoop
