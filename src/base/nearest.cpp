#include "base/nearest.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace gpucoop {

namespace {

constexpr std::size_t kLongest = 64;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& words, std::size_t most) {
  if (word.empty() || word.size() > kLongest) return {};
  const std::size_t allowed = std::max<std::size_t>(2, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const auto& candidate : words) {
    if (candidate.size() > kLongest) continue;
    const bool inside = word.size() >= 3 && candidate.find(word) != std::string::npos;
    const auto distance = edit_distance(word, candidate);
    if (inside || distance <= allowed) found.emplace_back(inside ? std::min(distance, allowed) : distance, candidate);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (auto& [distance, candidate] : found) {
    if (result.size() == most) break;
    result.push_back(std::move(candidate));
  }
  return result;
}

}  // namespace gpucoop
