#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/diff.hpp"

namespace gpucoop {

template <class T>
[[nodiscard]] Known<FactValue> as_value(const Known<T>& value) {
  return value.and_then([](const T& inside) -> Known<FactValue> {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
      return FactValue(inside);
    } else if constexpr (std::is_enum_v<T>) {
      return FactValue(std::string(to_string(inside)));
    } else {
      return FactValue(static_cast<double>(inside));
    }
  });
}
[[nodiscard]] Known<FactValue> as_value(Tri value);
/// "" and `unknown` are unknown.
[[nodiscard]] Known<FactValue> as_value(std::string_view word);

/// Adds the change where the two differ. Numbers are equal where a report, which rounds them, spells them alike; two
/// unknown values are equal whatever their reasons.
void add_change(std::vector<ValueChange>& to, std::string what, const Known<FactValue>& before,
                const Known<FactValue>& after);

}  // namespace gpucoop
