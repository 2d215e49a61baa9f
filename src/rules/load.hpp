#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// One rules file: TOML text and the name that errors give.
struct RulesText {
  std::string name;
  std::string text;
};

/// Reads and validates rules. What a table is says its key (`[[fact]]`, `[[gate]]`, `[[mode]]`, `[[engine]]`,
/// `[[engine-mode]]`, `[[remedy]]`, `[[device]]`, …), so that a file may hold any of them and the order of files does
/// not matter. With a `base`, entries of `texts` replace those of the same id there and others are added.
/// All or nothing: the first mistake is `bad_input` with `file:line`; rules are never half loaded.
/// Mistakes are: TOML that is not well-formed, unknown keys, wrong types, missing or empty values, two entries of
/// one id, ids and placeholders that nothing explains, a comparison that its fact's type cannot have, gates and
/// expectations that depend on themselves, remedies that nothing offers, and a mode that readings alone could
/// answer with yes.
[[nodiscard]] Result<Rules> load_rules(const std::vector<RulesText>& texts, const std::vector<RulesText>& base = {});

/// The files of the rules that ship with the program, to put others over them.
[[nodiscard]] std::vector<RulesText> builtin_rules_texts();

/// The names that may stand in braces in `why`, `holds`, `unproven`, `text` and `command`.
[[nodiscard]] const std::vector<std::string>& rule_placeholders();

}  // namespace gpucoop
