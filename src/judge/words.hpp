#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.hpp"
#include "base/known.hpp"
#include "model/fact.hpp"

namespace gpucoop {

/// What the placeholders of a rule's text stand for.
using Fill = std::vector<std::pair<std::string_view, std::string>>;

/// Replaces each `{name}` once, in one pass: what is filled in is never looked at again.
[[nodiscard]] std::string fill(std::string_view text, const Fill& values);

/// `a`, `a and b`, `a, b and c`; more than `most` are counted: `a, b and 14 more`.
[[nodiscard]] std::string list_of(const std::vector<std::string>& items, std::size_t most = 4);
[[nodiscard]] std::string list_of(const std::vector<Address>& items, std::size_t most = 4);

/// `no GPU`, `only one GPU (03:00.0)`, `2 GPUs (03:00.0 and 0b:00.0)`.
[[nodiscard]] std::string how_many(const std::vector<Address>& gpus);

/// `AMD`, `NVIDIA`, `Intel`; empty for others.
[[nodiscard]] std::string_view vendor_name(std::string_view vendor);

/// Why a value is not known, for a person: `not in the input`.
[[nodiscard]] std::string reason_words(Reason reason);

/// `yes`, `1.97`, `amdgpu`.
[[nodiscard]] std::string value_words(const FactValue& value);

/// The same with a small first letter, unless the word is a name or an abbreviation.
[[nodiscard]] std::string inside_sentence(std::string text);

/// Appends `item` unless it is there.
template <class T>
void add_once(std::vector<T>& list, const T& item) {
  for (const auto& there : list) {
    if (there == item) return;
  }
  list.push_back(item);
}

}  // namespace gpucoop
