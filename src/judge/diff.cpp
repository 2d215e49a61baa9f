#include "judge/diff.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "judge/diff_hardware.hpp"
#include "judge/diff_match.hpp"
#include "judge/diff_values.hpp"
#include "judge/diff_verdicts.hpp"

namespace gpucoop {
namespace {

/// The facts that modes and engines rest on, through their gates too, and for GPUs of which vendors.
class Deciding {
 public:
  explicit Deciding(const Rules& rules) : rules_(rules) {
    for (const auto& mode : rules.modes) add_all(mode.require, mode.prefer, kAll);
    for (const auto& mode : rules.engine_modes) add_all(mode.require, mode.prefer, vendors_of(mode.vendors, kAll));
  }
  /// `vendor`: of the GPU that the fact is about; none for facts of the host.
  [[nodiscard]] bool operator()(const std::string& id, std::optional<Vendor> vendor) const {
    const auto found = facts_.find(id);
    return found != facts_.end() && (found->second & (vendor ? bit(*vendor) : kAll)) != 0;
  }

 private:
  using Vendors = unsigned;
  static constexpr std::array kVendors = {Vendor::amd, Vendor::nvidia, Vendor::intel, Vendor::other};
  static constexpr Vendors bit(Vendor vendor) { return 1U << static_cast<unsigned>(vendor); }
  static constexpr Vendors kAll = 15;

  static Vendors vendors_of(const std::vector<std::string>& names, Vendors among) {
    if (names.empty()) return among;
    Vendors named = 0;
    for (const auto vendor : kVendors) {
      if (std::find(names.begin(), names.end(), to_string(vendor)) != names.end()) named |= bit(vendor);
    }
    return named & among;
  }

  void add_all(const std::vector<Clause>& require, const std::vector<Clause>& prefer, Vendors among) {
    for (const auto& clause : require) add(clause, among);
    for (const auto& clause : prefer) add(clause, among);
  }
  void add(const Clause& clause, Vendors among) {
    const auto vendors = vendors_of(clause.vendors, among);
    for (const auto& condition : clause.any_of) add(condition, vendors);
    for (const auto& condition : clause.unless) add(condition, vendors);
  }
  void add(const Condition& condition, Vendors vendors) {
    if (!condition.fact.empty()) facts_[condition.fact] |= vendors;
    if (!condition.unless_known.empty()) facts_[condition.unless_known] |= vendors;
    const auto* gate = condition.gate.empty() ? nullptr : find_gate(rules_, condition.gate);
    if (gate == nullptr) return;
    auto& done = gates_[condition.gate];
    if ((done | vendors) == done) return;
    done |= vendors;
    for (const auto& clause : gate->require) add(clause, vendors);
  }

  const Rules& rules_;
  std::map<std::string, Vendors> facts_;
  std::map<std::string, Vendors> gates_;
};

using Key = std::pair<std::string, std::vector<Address>>;

/// The fact under the addresses that its GPUs have in the later reading; ports and links keep theirs, which is right
/// only where the chain has not changed. Nothing where a GPU is gone.
std::optional<Subject> carried(const Subject& subject, const GpuMatch& match) {
  if (subject.kind == SubjectKind::port || subject.kind == SubjectKind::link) return subject;
  Subject result{subject.kind, {}};
  for (const Address& address : subject.of) {
    const auto found = match.to_after.find(address);
    if (found == match.to_after.end()) return std::nullopt;
    result.of.push_back(found->second);
  }
  return result;
}

Key key_of(const std::string& id, const Subject& subject) {
  Key key{id, subject.of};
  if (subject.kind == SubjectKind::set) std::sort(key.second.begin(), key.second.end());
  return key;
}

std::vector<const Fact*> all_of(const Report& report) {
  std::vector<const Fact*> result;
  for (const auto& fact : report.topology.facts) result.push_back(&fact);
  for (const auto& fact : report.judgement.facts) result.push_back(&fact);
  return result;
}

std::vector<FactChange> diff_facts(const Report& before, const Report& after, const GpuMatch& match, const Rules& rules,
                                   bool all) {
  const Deciding decides(rules);
  std::map<Key, const Fact*> known;
  for (const Fact* fact : all_of(after)) known.emplace(key_of(fact->id, fact->subject), fact);
  std::set<Key> seen;
  std::vector<FactChange> result;
  const auto add = [&](const std::string& id, const Subject& old_one, const Subject& new_one, const Known<FactValue>& a,
                       const Known<FactValue>& b) {
    const auto* gpu = new_one.of.empty() ? nullptr : find_gpu(after.topology, new_one.of.front());
    const bool decisive = decides(id, gpu == nullptr ? std::nullopt : std::optional(gpu->vendor));
    if (!decisive && !all) return;
    std::vector<ValueChange> change;
    add_change(change, id, a, b);
    if (!change.empty()) result.push_back({old_one, new_one, std::move(change.front()), decisive});
  };
  for (const Fact* old : all_of(before)) {
    const auto subject = carried(old->subject, match);
    if (!subject) continue;
    const auto key = key_of(old->id, *subject);
    if (!seen.insert(key).second) continue;  // of two facts about one thing the first counts, here and there
    const auto found = known.find(key);
    if (found != known.end()) {
      add(old->id, old->subject, found->second->subject, old->value, found->second->value);
    } else if (subject->kind != SubjectKind::port && subject->kind != SubjectKind::link &&
               (subject->kind != SubjectKind::set || old->tier != Tier::static_)) {
      add(old->id, old->subject, *subject, old->value, {});
    }
  }
  std::map<Address, Address> to_before;
  for (const auto& [a, b] : match.to_after) to_before.emplace(b, a);
  for (const auto& [key, fact] : known) {
    if (seen.count(key) != 0) continue;
    const auto& subject = fact->subject;
    if (subject.kind == SubjectKind::port || subject.kind == SubjectKind::link) continue;
    if (subject.kind == SubjectKind::set && fact->tier == Tier::static_) continue;  // of a set that was no set before
    Subject old{subject.kind, {}};
    for (const Address& address : subject.of) {
      const auto found = to_before.find(address);
      if (found != to_before.end()) old.of.push_back(found->second);
    }
    if (old.of.size() == subject.of.size()) add(fact->id, old, subject, {}, fact->value);
  }
  // What changed before what only became known; what a mode rests on before the rest.
  std::stable_sort(result.begin(), result.end(), [](const FactChange& a, const FactChange& b) {
    return std::pair(!a.decides, a.value.kind) < std::pair(!b.decides, b.value.kind);
  });
  return result;
}

DiffSide::Simulated simulated(const Report& report) {
  const auto& gpus = report.topology.gpus;
  if (!report.simulated) return DiffSide::Simulated::no;
  const bool devices = std::any_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return is_simulated(gpu.address); });
  return devices ? DiffSide::Simulated::devices : DiffSide::Simulated::faults;
}

DiffSide side_of(const Report& report) {
  const auto& t = report.topology;
  const auto gpus = std::count_if(t.gpus.begin(), t.gpus.end(), [](const Gpu& gpu) { return gpu.compute; });
  return {t.sources.empty() ? std::string() : t.sources.front().file, report.taken_at, t.host.fingerprint,
          static_cast<std::size_t>(gpus), simulated(report)};
}

}  // namespace

Diff diff(const Report& before, const Report& after, const Rules& rules, bool all_facts) {
  const auto match = match_gpus(before.topology, after.topology);
  Diff result;
  result.before = side_of(before);
  result.after = side_of(after);
  result.modes = diff_modes(before.judgement, after.judgement, match);
  result.engines = diff_engines(before.judgement, after.judgement, match);
  result.gpus = diff_gpus(match);
  result.pairs = diff_pairs(before.topology, after.topology, match);
  result.host = diff_host(before.topology.host, after.topology.host);
  result.facts = diff_facts(before, after, match, rules, all_facts);
  return result;
}

}  // namespace gpucoop
