#include "rules/load.hpp"

#include <utility>

#include "rules/catalogue.hpp"

namespace gpucoop {

namespace {

rules_file::Catalogue parsed(const std::vector<RulesText>& texts) {
  rules_file::Catalogue catalogue;
  for (const auto& file : texts) {
    try {
      rules_file::parse_rules(file.name, toml::parse(file.text, file.name), catalogue);
    } catch (const toml::parse_error& error) {
      rules_file::fail({file.name, error.source().begin.line},
                       std::string("not well-formed TOML: ") + std::string(error.description()));
    }
  }
  return catalogue;
}

}  // namespace

Result<Rules> load_rules(const std::vector<RulesText>& texts, const std::vector<RulesText>& base) {
  try {
    auto below = parsed(base);
    auto above = parsed(texts);
    // Each side by itself first: an id that one file gives twice must not pass for a replacement.
    rules_file::check_ids(below);
    rules_file::check_ids(above);
    auto catalogue = rules_file::overlay(std::move(below), std::move(above));
    rules_file::validate_rules(catalogue);
    return std::move(catalogue.rules);
  } catch (const rules_file::Mistake& mistake) {
    return mistake.error;
  }
}

}  // namespace gpucoop
