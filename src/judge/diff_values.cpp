#include "judge/diff_values.hpp"

#include <cmath>

namespace gpucoop {
namespace {

bool equal(const Known<FactValue>& a, const Known<FactValue>& b) {
  if (a.is_unknown() && b.is_unknown()) return true;
  if (a.is_known() && b.is_known()) {
    const auto* x = std::get_if<double>(&a.value());
    const auto* y = std::get_if<double>(&b.value());
    constexpr double kRounding = 0.0011;  // to three decimals
    if (x != nullptr && y != nullptr) return std::abs(*x - *y) <= kRounding;
  }
  return a == b;
}

}  // namespace

Known<FactValue> as_value(Tri value) {
  return value == Tri::unknown ? Known<FactValue>() : Known<FactValue>(FactValue(value == Tri::yes));
}

Known<FactValue> as_value(std::string_view word) {
  return word.empty() || word == "unknown" ? Known<FactValue>() : Known<FactValue>(FactValue(std::string(word)));
}

void add_change(std::vector<ValueChange>& to, std::string what, const Known<FactValue>& before,
                const Known<FactValue>& after) {
  if (equal(before, after)) return;
  const auto kind = before.is_unknown()  ? ChangeKind::now_known
                    : after.is_unknown() ? ChangeKind::no_longer_known
                                         : ChangeKind::changed;
  to.push_back({std::move(what), kind, before, after});
}

}  // namespace gpucoop
