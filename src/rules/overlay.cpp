#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "rules/catalogue.hpp"

namespace gpucoop::rules_file {

namespace {

using Ids = std::set<std::string, std::less<>>;

/// In the place of the entry that it replaces, else at the end.
template <class T>
void put_by_id(std::vector<T>& base, std::vector<T>&& over) {
  for (auto& entry : over) {
    const auto same = std::find_if(base.begin(), base.end(), [&](const T& b) { return b.id == entry.id; });
    if (same == base.end()) {
      base.push_back(std::move(entry));
    } else {
      *same = std::move(entry);
    }
  }
}

/// An id may change its kind: then the base's entry has to go.
template <class T>
void drop(std::vector<T>& base, const std::vector<T>& over, const Ids& taken) {
  std::erase_if(base, [&](const T& b) {
    return taken.contains(b.id) &&
           std::none_of(over.begin(), over.end(), [&](const T& entry) { return entry.id == b.id; });
  });
}

template <class T>
void put_first(std::vector<T>& base, std::vector<T>&& over) {
  base.insert(base.begin(), std::make_move_iterator(over.begin()), std::make_move_iterator(over.end()));
}

template <class T>
void append(std::vector<T>& base, std::vector<T>&& over) {
  base.insert(base.end(), std::make_move_iterator(over.begin()), std::make_move_iterator(over.end()));
}

}  // namespace

Catalogue overlay(Catalogue base, Catalogue over) {
  Ids taken;
  for (const auto& d : over.definitions) taken.insert(d.id);
  std::erase_if(base.definitions, [&](const Definition& d) { return taken.contains(d.id); });
  for (auto& d : base.definitions) d.of_base = true;
  std::erase_if(base.mentions, [&](const Mention& m) { return taken.contains(m.from); });
  const auto by_id = [&](auto& below, auto& above) {
    drop(below, above, taken);
    put_by_id(below, std::move(above));
  };
  by_id(base.rules.facts, over.rules.facts);
  by_id(base.rules.gates, over.rules.gates);
  by_id(base.rules.modes, over.rules.modes);
  by_id(base.rules.engines, over.rules.engines);
  by_id(base.rules.engine_modes, over.rules.engine_modes);
  by_id(base.rules.advice, over.rules.advice);
  by_id(base.rules.models, over.rules.models);
  by_id(base.rules.stacks, over.rules.stacks);
  by_id(base.rules.remedies, over.rules.remedies);
  by_id(base.rules.log_causes, over.rules.log_causes);
  by_id(base.rules.variants, over.rules.variants);
  put_first(base.rules.cards, std::move(over.rules.cards));
  put_first(base.rules.devices, std::move(over.rules.devices));
  put_first(base.rules.holders, std::move(over.rules.holders));
  append(base.definitions, std::move(over.definitions));
  append(base.mentions, std::move(over.mentions));
  return base;
}

}  // namespace gpucoop::rules_file
