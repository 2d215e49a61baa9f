#include "rules/toml_entry.hpp"

#include <fmt/core.h>

namespace gpucoop::rules_file {

std::string to_string(const Origin& origin) {
  return origin.line == 0 ? origin.file : origin.file + ":" + std::to_string(origin.line);
}

void fail(const Origin& origin, std::string what, std::string next) {
  throw Mistake{Error{ExitCode::bad_input, std::move(what), to_string(origin), std::move(next)}};
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

Entry::Entry(const toml::table& table, std::string file, std::string title)
    : table_(table), file_(std::move(file)), title_(std::move(title)) {}

Origin Entry::origin() const { return Origin{file_, table_.source().begin.line}; }

Origin Entry::origin(std::string_view key) const {
  const auto* found = table_.get(key);
  return found == nullptr ? origin() : Origin{file_, found->source().begin.line};
}

void Entry::fail_at(std::string_view key, const std::string& what, std::string next) const {
  fail(origin(key), title_ + ": " + what, std::move(next));
}

void Entry::require(std::string_view key) const {
  if (!has(key)) fail_at(key, "'" + std::string(key) + "' is missing");
}

const toml::node* Entry::node(std::string_view key) {
  read_.emplace(key);
  return table_.get(key);
}

std::string Entry::text(std::string_view key) {
  require(key);
  return text_or_empty(key);
}

std::string Entry::text_or_empty(std::string_view key) {
  const auto* found = node(key);
  if (found == nullptr) return {};
  const auto* value = found->as_string();
  if (value == nullptr) fail_at(key, "'" + std::string(key) + "' must be a text");
  if (value->get().find_first_not_of(" \t\n") == std::string::npos) {
    fail_at(key, "'" + std::string(key) + "' is empty");
  }
  return value->get();
}

std::optional<bool> Entry::boolean(std::string_view key) {
  const auto* found = node(key);
  if (found == nullptr) return std::nullopt;
  const auto* value = found->as_boolean();
  if (value == nullptr) fail_at(key, "'" + std::string(key) + "' must be true or false");
  return value->get();
}

std::optional<std::int64_t> Entry::integer(std::string_view key, std::int64_t least, std::int64_t most) {
  const auto* found = node(key);
  if (found == nullptr) return std::nullopt;
  const auto* value = found->as_integer();
  if (value == nullptr || value->get() < least || value->get() > most) {
    fail_at(key, "'" + std::string(key) + "' must be a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most));
  }
  return value->get();
}

std::vector<std::int64_t> Entry::integers(std::string_view key, std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> list;
  const auto* found = node(key);
  if (found == nullptr) return list;
  const auto* values = found->as_array();
  if (values == nullptr) fail_at(key, "'" + std::string(key) + "' must be an array of whole numbers");
  for (const auto& value : *values) {
    const auto* one = value.as_integer();
    if (one == nullptr || one->get() < least || one->get() > most) {
      fail({file_, value.source().begin.line}, title_ + ": '" + std::string(key) + "' must hold whole numbers from " +
                                                   std::to_string(least) + " to " + std::to_string(most));
    }
    list.push_back(one->get());
  }
  return list;
}

std::optional<double> Entry::number(std::string_view key, double least, double most) {
  const auto* found = node(key);
  if (found == nullptr) return std::nullopt;
  const auto value = found->is_number() ? found->value<double>() : std::nullopt;
  // Written so that a NaN fails.
  if (!value || !(*value >= least && *value <= most)) {
    fail_at(key, fmt::format("'{}' must be a number from {} to {}", key, least, most));
  }
  return value;
}

std::int64_t Entry::required_integer(std::string_view key, std::int64_t least, std::int64_t most) {
  require(key);
  return *integer(key, least, most);
}

double Entry::required_number(std::string_view key, double least, double most) {
  require(key);
  return *number(key, least, most);
}

std::vector<std::pair<std::string, Origin>> Entry::texts(std::string_view key) {
  std::vector<std::pair<std::string, Origin>> list;
  const auto* found = node(key);
  if (found == nullptr) return list;
  if (found->is_string()) {
    list.emplace_back(text(key), origin(key));
    return list;
  }
  const auto* values = found->as_array();
  if (values == nullptr) fail_at(key, "'" + std::string(key) + "' must be an array of texts");
  for (const auto& value : *values) {
    const Origin place{file_, value.source().begin.line};
    const auto* one = value.as_string();
    if (one == nullptr) fail(place, title_ + ": '" + std::string(key) + "' must hold texts only");
    if (one->get().empty()) fail(place, title_ + ": '" + std::string(key) + "' holds an empty text");
    list.emplace_back(one->get(), place);
  }
  return list;
}

std::vector<Entry> Entry::entries(std::string_view key) {
  std::vector<Entry> list;
  const auto* found = node(key);
  if (found == nullptr) return list;
  const auto* values = found->as_array();
  if (values == nullptr) fail_at(key, "'" + std::string(key) + "' must be an array of tables");
  for (const auto& value : *values) {
    const auto* one = value.as_table();
    if (one == nullptr) {
      fail({file_, value.source().begin.line}, title_ + ": '" + std::string(key) + "' must hold tables only");
    }
    list.emplace_back(*one, file_, title_);
  }
  return list;
}

std::size_t Entry::one_of(std::string_view key, const std::vector<std::string>& words) {
  const auto word = text(key);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return i;
  }
  fail_at(key, "'" + std::string(key) + "' is '" + word + "', it must be " + alternatives(words));
}

void Entry::finish() const {
  for (const auto& [key, value] : table_) {
    if (read_.find(key.str()) == read_.end()) {
      fail({file_, key.source().begin.line}, title_ + ": unknown key '" + std::string(key.str()) + "'",
           "the keys of this table are " + alternatives({read_.begin(), read_.end()}));
    }
  }
}

}  // namespace gpucoop::rules_file
