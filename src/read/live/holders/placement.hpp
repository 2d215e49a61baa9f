#pragma once

#include <string>
#include <string_view>

#include "base/known.hpp"

namespace gpucoop {

/// Where a process belongs.
struct Placement {
  Known<std::string> unit;       ///< of systemd: `llama.service`; absent: none
  bool user_manager = false;     ///< below the systemd of a user: `user@1000.service`
  Known<std::string> container;  ///< runtime and the beginning of its id: `docker 3f2a9c0d1e4b`; absent: none
};

/// Reads /proc/PID/cgroup (man cgroups). The unit is the innermost service, else a scope that is neither a login
/// session nor the container's own. Containers are known by the names that Docker, Podman, containerd, CRI-O, LXC and
/// systemd-nspawn give their groups.
[[nodiscard]] Placement parse_placement(std::string_view text);

}  // namespace gpucoop
