#include "read/tally.hpp"

#include <algorithm>
#include <utility>

namespace gpucoop {

void Tally::add(std::string_view code, std::string_view text, std::uint32_t line) {
  auto& kind = kinds_[code];
  if (kind.count++ == 0) {
    kind.text = text;
    kind.line = line;
  }
}

std::vector<Warning> Tally::finish(const std::string& file) const {
  std::vector<std::pair<std::uint32_t, Warning>> sorted;
  for (const auto& [code, kind] : kinds_) {
    Warning w;
    w.code = code;
    w.text = kind.text;
    if (kind.count > 1) w.text += " (" + std::to_string(kind.count) + " times)";
    w.where = kind.line == 0 ? file : file + ":" + std::to_string(kind.line);
    sorted.emplace_back(kind.line, std::move(w));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Warning> warnings;
  warnings.reserve(sorted.size());
  for (auto& [line, w] : sorted) warnings.push_back(std::move(w));
  return warnings;
}

}  // namespace gpucoop
