#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "rules/rules.hpp"

namespace CLI {
class App;
}

namespace gpucoop {

/// `--rules DIR` and `--no-builtin-rules`.
struct RulesOptions {
  std::optional<std::string> folder;
  bool no_builtin = false;
};
void add_rules_options(CLI::App& command, RulesOptions& options);

/// The rules to judge with: those of the program, or with `--rules` those of DIR over them (or alone). All or nothing:
/// a mistake is `bad_input` with `file:line`; a folder that does not exist or holds no rules is `no_such_input`.
[[nodiscard]] Result<std::shared_ptr<const Rules>> load_rules_of(const RulesOptions& options);

}  // namespace gpucoop
