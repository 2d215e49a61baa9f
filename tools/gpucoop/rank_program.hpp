#pragma once

#include <string>

#include "base/error.hpp"

namespace gpucoop {

/// Where the program is that a rank runs: installed below libexec, in a build tree beside this program's folder. Only
/// places that follow from this program's own; never from PATH, the environment or the working directory. `internal`
/// where it is not there, `permission` where somebody else than root (or than the user, where that is not root) could
/// have put it there or could change it.
[[nodiscard]] Result<std::string> find_rank_program();

}  // namespace gpucoop
