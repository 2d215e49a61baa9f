#include "rules/load.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "rules/catalogue.hpp"

namespace gpucoop {

namespace {

/// The TOML library descends once for each part of a dotted key, so that an endless one would take the stack.
void check_dots(const RulesText& file) {
  constexpr unsigned kMostDots = 128;
  unsigned dots = 0;
  std::uint32_t line = 1;
  char quote = 0;
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    const char c = file.text[i];
    if (c == '\n') {
      ++line;
      dots = 0;
      quote = 0;
    } else if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '.' && ++dots > kMostDots) {
      rules_file::fail({file.name, line}, "not well-formed TOML: a key of more parts than any rule has");
    }
  }
}

rules_file::Catalogue parsed(const std::vector<RulesText>& texts) {
  rules_file::Catalogue catalogue;
  for (const auto& file : texts) {
    check_dots(file);
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
