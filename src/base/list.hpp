#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace gpucoop {

/// The items in a sentence: `a`, `a and b`, `a, b and c`; "" for none. `text_of` gives the text of one.
template <class Item, class TextOf = std::identity>
[[nodiscard]] std::string list_in_words(const std::vector<Item>& items, const TextOf& text_of = {}) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += i == 0 ? "" : i + 1 == items.size() ? " and " : ", ";
    text += text_of(items[i]);
  }
  return text;
}

}  // namespace gpucoop
