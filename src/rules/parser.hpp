#pragma once

// Only for the loader: this header carries toml++.

#include <string>
#include <string_view>
#include <vector>

#include "rules/catalogue.hpp"

namespace gpucoop::rules_file {

/// Parses one file into the catalogue.
class Parser {
 public:
  explicit Parser(Catalogue& catalogue) : catalogue_(catalogue) {}

  void fact(Entry& e);
  void gate(Entry& e);
  void mode(Entry& e);
  void remedy(Entry& e);
  void engine(Entry& e);
  void engine_mode(Entry& e);
  void advice(Entry& e);
  void model(Entry& e);
  void stack(Entry& e);
  void card(Entry& e);
  void device(Entry& e);
  void log_cause(Entry& e);
  void holder(Entry& e);
  void variant(Entry& e);

 private:
  std::string id(Entry& e, const char* kind);
  void mention(Mention::Kind kind, const std::string& id, const Origin& origin) {
    catalogue_.mentions.push_back({kind, id, from_, origin, std::nullopt});
  }
  std::vector<std::string> ids(Entry& e, std::string_view key, Mention::Kind kind);
  std::vector<std::string> vendors(Entry& e);
  std::string template_text(Entry& e, std::string_view key, bool required);
  void check_template(const std::string& text, const Origin& origin, const std::string& title);
  Condition condition(Entry& e);
  std::vector<Condition> conditions(Entry& e, std::string_view key);
  Clause clause(Entry& e);
  std::vector<Clause> clauses(Entry& e, std::string_view key);
  std::vector<SettledBy> settled_by(Entry& e);
  Expectation expectation(Entry& e);

  Catalogue& catalogue_;
  std::string from_;
};

/// The enumerator whose `to_string` the key holds; `last` is the last one.
template <class Enum>
Enum word_of(Entry& e, std::string_view key, Enum last) {
  std::vector<std::string> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) words.emplace_back(to_string(static_cast<Enum>(i)));
  return static_cast<Enum>(e.one_of(key, words));
}

}  // namespace gpucoop::rules_file
