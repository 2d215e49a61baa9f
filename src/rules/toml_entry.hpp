#pragma once

// Only for the loader: this header carries toml++.

#include <toml++/toml.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gpucoop::rules_file {

/// A place in a rules file.
struct Origin {
  std::string file;
  unsigned line = 0;
};
[[nodiscard]] std::string to_string(const Origin& origin);

/// Thrown inside the loader only; `load_rules` turns it into its error.
struct Mistake {
  Error error;
};
[[noreturn]] void fail(const Origin& origin, std::string what, std::string next = {});

/// One table of a rules file, read key by key. Every key that is read counts as known; `finish` refuses the others.
class Entry {
 public:
  /// `title` says in errors what this is: `fact 'atomics.path'`.
  Entry(const toml::table& table, std::string file, std::string title);

  void rename(std::string title) { title_ = std::move(title); }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] Origin origin() const;
  /// The place of a key's value, or of the table where there is no such key.
  [[nodiscard]] Origin origin(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return table_.contains(key); }

  /// A text that is there and not empty.
  [[nodiscard]] std::string text(std::string_view key);
  [[nodiscard]] std::string text_or_empty(std::string_view key);
  [[nodiscard]] std::optional<bool> boolean(std::string_view key);
  /// An integer between `least` and `most`.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most);
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key, std::int64_t least, std::int64_t most);
  /// A number between `least` and `most`; an integer will do.
  [[nodiscard]] std::optional<double> number(std::string_view key, double least, double most);
  /// The same of a number that must be there.
  [[nodiscard]] std::int64_t required_integer(std::string_view key, std::int64_t least, std::int64_t most);
  [[nodiscard]] double required_number(std::string_view key, double least, double most);
  /// An array of texts, none empty; empty where the key is missing. One text stands for an array of one.
  [[nodiscard]] std::vector<std::pair<std::string, Origin>> texts(std::string_view key);
  /// An array of tables, each as an entry of the same title; empty where the key is missing.
  [[nodiscard]] std::vector<Entry> entries(std::string_view key);
  [[nodiscard]] const toml::node* node(std::string_view key);
  /// The index of the word in `words`.
  [[nodiscard]] std::size_t one_of(std::string_view key, const std::vector<std::string>& words);

  void finish() const;
  /// Does nothing where the key is there.
  void require(std::string_view key) const;
  [[noreturn]] void fail_at(std::string_view key, const std::string& what, std::string next = {}) const;

 private:
  const toml::table& table_;
  std::string file_;
  std::string title_;
  std::set<std::string, std::less<>> read_;
};

/// `a, b or c`
[[nodiscard]] std::string alternatives(const std::vector<std::string>& words);

}  // namespace gpucoop::rules_file
