#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/known.hpp"
#include "model/pci.hpp"

// Internal to the JSON view: how single values are spelled. Unknown and absent are null; the facts say which.
namespace gpucoop::json {

using Value = nlohmann::ordered_json;

/// Rounded to three decimals; a whole number without a fraction.
[[nodiscard]] Value number(double value);
[[nodiscard]] Value number(const Known<double>& value);
/// GT/s.
[[nodiscard]] Value speed(const Known<LinkSpeed>& value);
[[nodiscard]] Value addresses(const std::vector<Address>& of);
/// "" is null.
[[nodiscard]] Value text(const std::string& value);

template <class T>
[[nodiscard]] Value known(const Known<T>& value) {
  return value.is_known() ? Value(value.value()) : Value(nullptr);
}

}  // namespace gpucoop::json
