#pragma once

#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace gpucoop::probe {

/// Where a user's journal and locks are: /var/lib/gpucoop of root, else $XDG_STATE_HOME/gpucoop where that is an
/// absolute path, else $HOME/.local/state/gpucoop. `base` is there and is followed wherever it leads; of what lies
/// below it nothing may be a link.
struct StatePlace {
  std::string base;
  std::vector<std::string> below;
  bool base_may_be_made = false;
  [[nodiscard]] std::string path() const;
};

/// Empty where a user has neither variable.
[[nodiscard]] StatePlace state_place(bool root, const std::string& xdg_state_home, const std::string& home);
/// Of this process.
[[nodiscard]] StatePlace current_state_place();

/// Opens the folder. With `make` it is made where it is not there (0700), and others lose the right to look into it.
/// `permission` where it, or a file on the way, is a link, belongs to another user, or can be written by others;
/// `cannot_create` where it cannot be made; `no_such_input` where it is not there.
[[nodiscard]] Result<Descriptor> open_state(const StatePlace& place, bool make);

/// Opens a regular file in it that belongs to this user and has no other name; links are not followed. `flags` as for
/// open. `no_such_input` where it is not there, `permission` where it is something else, `cannot_create` where it
/// cannot be made.
[[nodiscard]] Result<Descriptor> open_state_file(const Descriptor& folder, const std::string& name, int flags);

}  // namespace gpucoop::probe
