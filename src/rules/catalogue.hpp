#pragma once

// Only for the loader: what it remembers beside the rules so that whole-catalogue checks can name lines.

#include <optional>
#include <string>
#include <vector>

#include "rules/rules.hpp"
#include "rules/toml_entry.hpp"

namespace gpucoop::rules_file {

/// An id that an entry names, and where.
struct Mention {
  enum class Kind { fact, gate, mode, engine, advice, remedy };
  Kind kind = Kind::fact;
  std::string id;
  std::string from;  ///< id of the entry that names it
  Origin origin;
  std::optional<Condition> condition;  ///< for a fact that is compared
};

/// An id that an entry takes.
struct Definition {
  std::string id;
  std::string kind;  ///< `fact`, `gate`, …
  Origin origin;
  bool of_base = false;  ///< of the rules below: what is put over them may leave it unused
};

struct Catalogue {
  Rules rules;
  std::vector<Definition> definitions;
  std::vector<Mention> mentions;
};

/// Adds the tables of one file. Throws `Mistake`.
void parse_rules(const std::string& name, const toml::table& root, Catalogue& catalogue);

/// No id stands twice: `explain ID` has one answer. Throws `Mistake`.
void check_ids(const Catalogue& catalogue);

/// Puts `over` on top: an entry of an id that `base` has too replaces that one, the others are added. Entries without
/// an id (devices, cards, holders) come before those of the base, so that they are found first.
[[nodiscard]] Catalogue overlay(Catalogue base, Catalogue over);

/// The checks that need every file. Throws `Mistake`.
void validate_rules(const Catalogue& catalogue);

}  // namespace gpucoop::rules_file
