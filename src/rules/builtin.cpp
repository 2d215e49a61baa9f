#include "rules/builtin.hpp"

#include "base/packed.hpp"
#include "rules/archive.hpp"
#include "rules/load.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

const Rules& builtin_rules() {
  // Never destroyed: thousands of texts would be given back one by one just before the program ends.
  static const auto& rules = *new Rules(read_archive(builtin_rules_bytes()));
  return rules;
}

std::vector<RulesText> builtin_rules_texts() {
  std::vector<RulesText> texts;
  std::vector<std::string> parts;
  packed::Unpacker unpacker(builtin_texts_bytes());
  unpacker(parts);
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) texts.push_back({parts[i], parts[i + 1]});
  return texts;
}

}  // namespace gpucoop
