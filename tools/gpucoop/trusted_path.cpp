#include "trusted_path.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace gpucoop {
namespace {

/// Who may change it: its owner, and whoever the permissions let. A folder with the sticky bit protects what is in it.
bool only_trusted_may_change(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) return false;
  const auto me = ::geteuid();
  if (status.st_uid != 0 && (me == 0 || status.st_uid != me)) return false;
  const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  const mode_t others = me == 0 ? S_IWGRP | S_IWOTH : S_IWOTH;
  return sticky || (status.st_mode & others) == 0;
}

}  // namespace

bool is_trusted(const std::filesystem::path& path, std::filesystem::path& culprit) {
  for (auto part = path;; part = part.parent_path()) {
    if (!only_trusted_may_change(part)) {
      culprit = part;
      return false;
    }
    if (part == part.root_path()) return true;
  }
}

}  // namespace gpucoop
