#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpucoop::probe {

/// A user as the kernel knows one.
struct RankUser {
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::vector<std::uint32_t> groups;  ///< all of them, `group` too
  std::string name;                   ///< empty: it has none
  std::string home;
};

/// With which rights ranks run.
struct Privilege {
  enum class Kind : std::uint8_t {
    user,  ///< those of this process, which has none to give up
    sudo,  ///< those of the user who called sudo
    root   ///< root's own: nothing of the environment may choose what is loaded
  };
  Kind kind = Kind::user;
  RankUser user;  ///< meaningful with `sudo`
};

/// What a process of user number `effective` with this environment gives its ranks. SUDO_UID and SUDO_GID count only
/// where the process is root, and where they name another user.
[[nodiscard]] Privilege privilege_of(std::uint32_t effective, const std::vector<std::string>& environment);
/// Of this process.
[[nodiscard]] Privilege current_privilege();

/// `NAME=value`, as this process has them.
[[nodiscard]] std::vector<std::string> current_environment();

/// An environment, and the names that were taken out of it.
struct RankEnvironment {
  std::vector<std::string> variables;  ///< `NAME=value`, one of each name
  std::vector<std::string> stripped;   ///< names, sorted
};

/// The environment of ranks: `inherited` without what may not stay (as root: variables that make the loader, a runtime
/// or a collective library load something else), then without `unset`, then with `set`. With `sudo` HOME, USER and
/// LOGNAME are those of the user.
[[nodiscard]] RankEnvironment rank_environment(const std::vector<std::string>& inherited, const Privilege& privilege,
                                               const std::vector<std::string>& unset,
                                               const std::vector<std::pair<std::string, std::string>>& set);

/// Takes on the user of `privilege` for good (with `sudo`); to be called in a process of its own. False where the
/// kernel refuses: then nothing may be run.
[[nodiscard]] bool take_on(const Privilege& privilege);

}  // namespace gpucoop::probe
