#include "judge/fact_index.hpp"

#include <algorithm>
#include <functional>

namespace gpucoop {

namespace {

std::size_t mix(std::size_t seed, const Address& a) {
  const auto packed = (static_cast<std::size_t>(a.domain) << 16) | (static_cast<std::size_t>(a.bus) << 8) |
                      static_cast<std::size_t>(a.device << 3) | a.function;
  return (seed ^ packed) * 0x9e3779b97f4a7c15U;
}

// Sets are looked up by id alone: there are few, and their members may stand in any order.
std::size_t key(std::string_view id, const Address* first, const Address* last) {
  auto hash = std::hash<std::string_view>{}(id);
  for (; first != last; ++first) hash = mix(hash, *first);
  return hash;
}

bool same_members(const std::vector<Address>& a, const std::vector<Address>& b) {
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin());
}

}  // namespace

FactIndex::FactIndex(const std::vector<Fact>& facts) {
  by_subject_.reserve(facts.size());
  for (const auto& fact : facts) add(fact);
}

void FactIndex::add(const Fact& fact) {
  const auto* first = fact.subject.of.data();
  const bool set = fact.subject.kind == SubjectKind::set;
  by_subject_.emplace(key(fact.id, first, set ? first : first + fact.subject.of.size()), &fact);
  if (fact.subject.kind == SubjectKind::gpu && fact.id == "gpu.vendor" && !fact.subject.of.empty()) {
    gpus_.push_back(fact.subject.of.front());
  }
}

const Fact* FactIndex::find(std::string_view id, const Focus& of) const {
  const auto [first, last] = by_subject_.equal_range(key(id, of.begin(), of.end()));
  for (auto it = first; it != last; ++it) {
    const auto& fact = *it->second;
    if (fact.id == id && fact.subject.kind != SubjectKind::set &&
        std::equal(fact.subject.of.begin(), fact.subject.of.end(), of.begin(), of.end())) {
      return &fact;
    }
  }
  return nullptr;
}

const Fact* FactIndex::find(std::string_view id, const std::vector<Address>& set) const {
  const auto [first, last] = by_subject_.equal_range(key(id, nullptr, nullptr));
  for (auto it = first; it != last; ++it) {
    const auto& fact = *it->second;
    if (fact.id == id && fact.subject.kind == SubjectKind::set && same_members(fact.subject.of, set)) return &fact;
  }
  return nullptr;
}

}  // namespace gpucoop
