#include "rules/rules.hpp"
namespace gpucoop {
const Rules& builtin_rules() {
  static const Rules rules;
  return rules;
}
}  // namespace gpucoop
