#include "rank_program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace gpucoop {
namespace {

namespace fs = std::filesystem;

/// Who may change it: its owner, and whoever the permissions let. A folder with the sticky bit protects what is in it.
bool only_trusted_may_change(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) return false;
  const auto me = ::geteuid();
  if (status.st_uid != 0 && (me == 0 || status.st_uid != me)) return false;
  const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  const mode_t others = me == 0 ? S_IWGRP | S_IWOTH : S_IWOTH;
  return sticky || (status.st_mode & others) == 0;
}

bool trusted(const fs::path& program, fs::path& culprit) {
  for (fs::path part = program;; part = part.parent_path()) {
    if (!only_trusted_may_change(part)) {
      culprit = part;
      return false;
    }
    if (part == part.root_path()) return true;
  }
}

}  // namespace

Result<std::string> find_rank_program() {
  std::error_code error;
  const auto self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{ExitCode::internal, "this program does not know where it lies (/proc is missing)", "", ""};
  const auto folder = self.parent_path();
  const fs::path places[] = {folder.parent_path() / GPUCOOP_LIBEXEC / "gpucoop/gpucoop-rank",
                             folder.parent_path() / "gpucoop-rank/gpucoop-rank"};
  for (const auto& place : places) {
    const auto real = fs::canonical(place, error);
    if (error || ::access(real.c_str(), X_OK) != 0) continue;
    fs::path culprit;
    if (trusted(real, culprit)) return real.string();
    return Error{ExitCode::permission, "may be changed by others, so that it is not run", culprit.string(),
                 "install gpucoop as root, or take the right to write from group and others"};
  }
  return Error{ExitCode::internal, "gpucoop-rank is missing, the program that does the probing", places[0].string(),
               "install gpucoop whole: `cmake --install BUILD`"};
}

}  // namespace gpucoop
