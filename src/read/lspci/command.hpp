#pragma once

#include <optional>
#include <string_view>

#include "base/address.hpp"

namespace gpucoop {

/// A line that names lspci as somebody runs it or speaks of it: what is listed after it is a run of its own.
struct LspciCommand {
  bool filtered = false;           ///< `-s`, `-d`, `| grep` and the like: shows a part of the devices
  std::optional<Address> address;  ///< `-s 0000:01:00.0`, a whole address
};
[[nodiscard]] std::optional<LspciCommand> parse_lspci_command(std::string_view text);

/// The address that is all a line says, with marks of a heading around it or not: what a loop over devices prints
/// before the lines it has filtered.
[[nodiscard]] std::optional<Address> address_alone(std::string_view text);

/// A shell prompt (`$ `, `# `, `user@host:~$ `, `[~]# `), a fence or a heading of markdown: no device's lines go on
/// after it.
[[nodiscard]] bool is_boundary(std::string_view text);

/// `text` without the marks of a list, of emphasis or of code at its beginning.
[[nodiscard]] std::string_view without_list_marks(std::string_view text);

}  // namespace gpucoop
