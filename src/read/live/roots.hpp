#pragma once

#include <string>
#include <vector>

#include "read/live/folder.hpp"

namespace gpucoop {

/// Where the kernel's file systems and the few other folders that are looked at are: those of this host, or of a copy.
struct Roots {
  std::string sys = "/sys";
  std::string proc = "/proc";
  std::string dev = "/dev";
  std::string boot = "/boot";
  std::string etc = "/etc";
  std::string run = "/run";
  std::string top = "/";
  /// The copy's root folder, of which all of these are below; empty for this host.
  std::string copy;
  bool of_this_host = true;
  /// Folders in which a list of names, `pci.ids`, is looked for. Names say nothing about the host, so a copy may be
  /// named by this host's list.
  std::vector<std::string> names = {"/usr/share/misc", "/usr/share/hwdata"};

  /// Those of a copy whose root folder is `folder`.
  [[nodiscard]] static Roots below(const std::string& folder);
  /// Opens one of the folders above. What is opened from it stays inside the copy, whatever links say.
  [[nodiscard]] Folder open(const std::string& path) const;
};

}  // namespace gpucoop
