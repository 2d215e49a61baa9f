#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/recording.hpp"

namespace gpucoop {

/// Where the kernel's file systems are: those of this host, or copies of another's.
struct Roots {
  std::string sys = "/sys";
  std::string proc = "/proc";
  bool of_this_host = true;
  /// Folders in which a list of names, `pci.ids`, is looked for. Names say nothing about the host, so a copy may be
  /// named by this host's list.
  std::vector<std::string> names = {"/usr/share/misc", "/usr/share/hwdata"};

  /// Those of a copy whose root folder is `folder`.
  [[nodiscard]] static Roots below(const std::string& folder) {
    Roots roots;
    roots.sys = folder + "/sys";
    roots.proc = folder + "/proc";
    roots.of_this_host = false;
    return roots;
  }
};

/// Reads the running host (`Recording::live`), or a copy of another one's sysfs and procfs, without writing anything
/// and without waking a device. What cannot be read is unknown with its reason: missing rights show in what came back,
/// not in the user's id. A device that vanishes while the list is read is left out, with a warning; one whose folder
/// may not be read is kept without its class, and the listing then does not count as complete. `lists_devices` is false
/// where the kernel shows no PCI bus. Fails with `no_such_input` where `sys` is no folder and with `permission` where
/// it may not be opened.
[[nodiscard]] Result<Recording> read_live(const Roots& roots);

}  // namespace gpucoop
