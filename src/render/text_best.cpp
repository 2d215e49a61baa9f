#include <algorithm>

#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {

namespace {

constexpr std::size_t kNamed = 8;

std::string can(const BestSubset& best) {
  const ModeState likely = best.state == ModeState::unknown ? best.expected.value_or(ModeState::unknown) : best.state;
  const bool proven = best.state != ModeState::unknown;
  if (likely == ModeState::yes) return proven ? "can" : "should work, which nothing has proven yet";
  if (likely == ModeState::degraded)
    return proven ? "can, with limits" : "should work with limits, which nothing has proven yet";
  return likely == ModeState::no ? "are not expected to" : "may";
}

}  // namespace

std::string best_sentence(const BestSubset& best, const std::vector<Address>& whole) {
  std::vector<Address> others;
  for (const Address& gpu : whole) {
    if (std::find(best.gpus.begin(), best.gpus.end(), gpu) == best.gpus.end()) others.push_back(gpu);
  }
  std::string text = words::list(best.gpus, kNamed) + " alone " + can(best);
  if (!others.empty()) {
    text += "; " + words::list(others, kNamed) + (others.size() == 1 ? " stands" : " stand") + " in the way";
  }
  return text;
}

}  // namespace gpucoop::text
