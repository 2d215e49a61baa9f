#include <algorithm>
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
  if constexpr (std::is_same_v<T, std::string>) {
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
      if constexpr (std::is_same_v<typename std::decay_t<decltype(row)>::Type, std::string>) {
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
  } else if constexpr (IsKnown<T>::value) {
    if (!value.is_known()) return;
    auto inside = value.value();
    admit_value(inside, form);
    if constexpr (std::is_same_v<T, Known<std::string>>) {
      value = inside.empty() ? T() : T(std::move(inside));
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

}  // namespace
}  // namespace recording_file

void admit(Recording& recording, const Rules& rules) {
  if (!recording.log.empty()) {
    const recording_file::LogWords words(rules);
    for (auto& line : recording.log) line.text = words.rebuilt(line.cause, line.text);
  }
  recording_file::admit_value(recording, recording_file::Form::plain);
}

}  // namespace gpucoop
