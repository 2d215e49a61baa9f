#include "render/text_parts.hpp"
#include "render/words.hpp"

namespace gpucoop::text {

namespace {

constexpr std::size_t kNamed = 8;

std::string can(const BestSubset& best) {
  const ModeState outlook = likely(best.state, best.expected);
  const bool proven = best.state != ModeState::unknown;
  if (outlook == ModeState::yes) return proven ? "can" : "should work, which nothing has proven yet";
  if (outlook == ModeState::degraded)
    return proven ? "can, with limits" : "should work with limits, which nothing has proven yet";
  return outlook == ModeState::no ? "are not expected to" : "may";
}

}  // namespace

std::string best_sentence(const BestSubset& best, const std::vector<Address>& whole) {
  const auto others = without(whole, best.gpus);
  std::string text = words::list(best.gpus, kNamed) + " alone " + can(best);
  if (!others.empty()) {
    text += "; " + words::list(others, kNamed) + (others.size() == 1 ? " stands" : " stand") + " in the way";
  }
  return text;
}

}  // namespace gpucoop::text
