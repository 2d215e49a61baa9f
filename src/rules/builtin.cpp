#include "rules/builtin.hpp"

#include "rules/archive.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

const Rules& builtin_rules() {
  static const Rules rules = read_archive(builtin_rules_bytes());
  return rules;
}

}  // namespace gpucoop
