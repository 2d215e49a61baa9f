#include <algorithm>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "read/recording/log_words.hpp"
#include "read/recording/recording.hpp"
#include "read/recording/table.hpp"

namespace gpucoop {
namespace recording_file {
namespace {

/// Whether values of this type may hold text at all.
template <class T>
constexpr bool has_text() {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, FactValue>) {
    return true;
  } else if constexpr (IsKnown<T>::value) {
    return has_text<typename IsKnown<T>::Inside>();
  } else if constexpr (IsVector<T>::value) {
    return has_text<typename IsVector<T>::Inside>();
  } else if constexpr (HasTable<T>) {
    return std::apply(
        [](const auto&... rows) { return (has_text<typename std::decay_t<decltype(rows)>::Type>() || ...); },
        Table<T>::rows);
  } else {
    return false;
  }
}

template <class T>
bool means_nothing(const T& entry) {
  if constexpr (std::is_same_v<T, std::string>) {
    return entry.empty();
  } else {
    bool nothing = false;
    for_each_row<T>([&](const auto& row) {
      using Row = std::decay_t<decltype(row)>;
      if constexpr (Row::kRecorded && std::is_same_v<typename Row::Type, std::string>) {
        nothing = nothing || (row.needed && (entry.*row.member).empty());
      }
    });
    return nothing;
  }
}

template <class T>
void admit_value(T& value, Form form) {
  if constexpr (!has_text<T>()) {
    return;
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = admitted(form, value);
  } else if constexpr (std::is_same_v<T, FactValue>) {
    if (auto* text = std::get_if<std::string>(&value)) *text = admitted(form, *text);
  } else if constexpr (IsKnown<T>::value) {
    if (!value.is_known()) return;
    auto inside = value.value();
    admit_value(inside, form);
    if constexpr (std::is_same_v<T, Known<std::string>>) {
      value = inside.empty() ? T() : T(std::move(inside));
    } else if constexpr (std::is_same_v<T, Known<FactValue>>) {
      value = inside == FactValue(std::string()) ? T() : T(std::move(inside));
    } else {
      value = std::move(inside);
    }
  } else if constexpr (IsVector<T>::value) {
    for (auto& entry : value) admit_value(entry, form);
    value.erase(std::remove_if(value.begin(), value.end(), [](const auto& entry) { return means_nothing(entry); }),
                value.end());
  } else {
    for_each_row<T>([&](const auto& row) {
      if constexpr (std::decay_t<decltype(row)>::kRecorded) admit_value(value.*row.member, row.form);
    });
  }
}

/// Only what the catalogue knows and counts as measured, of real GPUs; runs name no other facts.
void admit_measured(Measurements& measured, const Rules& rules) {
  const auto foreign = [&](const Fact& fact) {
    const auto* rule = find_fact_rule(rules, fact.id);
    return rule == nullptr || rule->tier == Tier::static_ || fact.tier == Tier::static_ || fact.value.is_unknown();
  };
  auto& facts = measured.facts;
  facts.erase(std::remove_if(facts.begin(), facts.end(), foreign), facts.end());
  std::set<std::string> kept;
  for (const auto& fact : facts) kept.insert(reference(fact));
  for (auto& run : measured.runs) {
    const auto gone = [&](const std::string& name) { return kept.count(name) == 0; };
    run.facts.erase(std::remove_if(run.facts.begin(), run.facts.end(), gone), run.facts.end());
  }
  if (measured.simulated || measured.empty()) measured = {};
}

}  // namespace
}  // namespace recording_file

void admit(Recording& recording, const Rules& rules) {
  if (!recording.log.empty()) {
    const recording_file::LogWords words(rules);
    for (auto& line : recording.log) line.text = words.rebuilt(line.cause, line.text);
  }
  recording_file::admit_value(recording, recording_file::Form::plain);
  recording_file::admit_measured(recording.measured, rules);
}

}  // namespace gpucoop
