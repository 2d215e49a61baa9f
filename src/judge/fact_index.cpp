#include "judge/fact_index.hpp"

#include <algorithm>

namespace gpucoop {

namespace {

bool same_members(const std::vector<Address>& a, const std::vector<Address>& b) {
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
}

}  // namespace

void FactsOfId::append(const Fact& fact) {
  const auto& about = fact.subject.of;
  if (fact.subject.kind == SubjectKind::set) {
    of_sets_.push_back(&fact);
    return;
  }
  Focus of;
  if (about.size() > of.of.size()) return;  // about more than anything can be looked at for
  std::copy(about.begin(), about.end(), of.of.begin());
  of.size = about.size();
  sorted_ = sorted_ && (entries_.empty() || entries_.back().of <= of);
  entries_.push_back({of, &fact});
}

void FactsOfId::sort() {
  if (sorted_) return;
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.of < b.of; });
  sorted_ = true;
}

const Fact* FactsOfId::find(const Focus& of) const {
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), of, [](const Focus& a, const Entry& b) { return a < b.of; });
  return after != entries_.begin() && (after - 1)->of == of ? (after - 1)->fact : nullptr;
}

const Fact* FactsOfId::find(const std::vector<Address>& set) const {
  const auto found = std::find_if(of_sets_.rbegin(), of_sets_.rend(),
                                  [&](const Fact* fact) { return same_members(fact->subject.of, set); });
  return found == of_sets_.rend() ? nullptr : *found;
}

FactIndex::FactIndex(const std::vector<Fact>& facts) {
  for (const auto& fact : facts) append(fact);
  for (auto& [id, facts_of_id] : ids_) facts_of_id.sort();
}

void FactIndex::add(const Fact& fact) { append(fact).sort(); }

FactsOfId& FactIndex::append(const Fact& fact) {
  if (fact.subject.kind == SubjectKind::gpu && fact.id == "gpu.vendor" && !fact.subject.of.empty()) {
    gpus_.push_back(fact.subject.of.front());
  }
  auto& same_id = ids_[fact.id];
  same_id.append(fact);
  return same_id;
}

const FactsOfId* FactIndex::of_id(std::string_view id) const {
  const auto found = ids_.find(id);
  return found == ids_.end() ? nullptr : &found->second;
}

const Fact* FactIndex::find(std::string_view id, const Focus& of) const {
  const auto* facts = of_id(id);
  return facts == nullptr ? nullptr : facts->find(of);
}

const Fact* FactIndex::find(std::string_view id, const std::vector<Address>& set) const {
  const auto* facts = of_id(id);
  return facts == nullptr ? nullptr : facts->find(set);
}

const std::string* FactIndex::text(std::string_view id, const Focus& of) const {
  const auto* fact = find(id, of);
  return fact == nullptr || !fact->value.is_known() ? nullptr : std::get_if<std::string>(fact->value.get());
}

}  // namespace gpucoop
