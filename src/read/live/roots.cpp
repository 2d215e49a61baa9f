#include "read/live/roots.hpp"

namespace gpucoop {

Roots Roots::below(const std::string& folder) {
  Roots roots;
  for (auto* path : {&roots.sys, &roots.proc, &roots.dev, &roots.boot, &roots.etc, &roots.run, &roots.top}) {
    *path = folder + *path;
  }
  roots.copy = folder;
  roots.of_this_host = false;
  return roots;
}

Folder Roots::open(const std::string& path) const {
  if (copy.empty()) return Folder::open(path);
  return Folder::open_below(copy, "." + path.substr(copy.size()));
}

}  // namespace gpucoop
