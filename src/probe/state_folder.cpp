#include "probe/state_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace gpucoop::probe {
namespace {

constexpr mode_t kPrivate = 0700;
constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kAllWrite = 0002;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Error failed(ExitCode code, const std::string& what, const std::string& where) {
  return {code, what + ": " + std::strerror(errno), where, "set XDG_STATE_HOME to a folder of your own"};
}

Error not_ours(const std::string& why, const std::string& where) {
  return {ExitCode::permission, why + ": what gpucoop keeps about probes may be forged", where,
          "look who made it, and remove it"};
}

ExitCode code_of(int error) {
  if (error == ENOENT || error == ENOTDIR) return ExitCode::no_such_input;
  return error == ELOOP || error == EACCES || error == EPERM ? ExitCode::permission : ExitCode::cannot_create;
}

/// Whoever else owns a folder on the way could put another one in place. That a group may write is usual where every
/// user has a group of his own; what is put in place then is not his, which the last folder is checked for.
bool trusted(const struct stat& status) {
  return (status.st_uid == ::geteuid() || status.st_uid == 0) && (status.st_mode & kAllWrite) == 0;
}

}  // namespace

std::string StatePlace::path() const {
  auto text = base;
  for (const auto& part : below) text += "/" + part;
  return text;
}

StatePlace state_place(bool root, const std::string& xdg_state_home, const std::string& home) {
  if (root) return {"/var/lib", {"gpucoop"}, false};
  if (!xdg_state_home.empty() && xdg_state_home.front() == '/') return {xdg_state_home, {"gpucoop"}, true};
  if (!home.empty() && home.front() == '/') return {home, {".local", "state", "gpucoop"}, false};
  return {};
}

StatePlace current_state_place() {
  return state_place(::geteuid() == 0, environment("XDG_STATE_HOME"), environment("HOME"));
}

Result<Descriptor> open_state(const StatePlace& place, bool make) {
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  if (place.base.empty()) {
    return Error{ExitCode::no_such_input, "there is no folder for what gpucoop keeps about probes", "",
                 "set HOME or XDG_STATE_HOME"};
  }
  auto path = place.base;
  if (make && place.base_may_be_made) ::mkdir(path.c_str(), kPrivate);
  Descriptor folder(::open(path.c_str(), kFolder));
  for (const auto& part : place.below) {
    if (!folder) break;
    path += "/" + part;
    if (make && ::mkdirat(folder.get(), part.c_str(), kPrivate) != 0 && errno != EEXIST) {
      return failed(code_of(errno), "the folder for what gpucoop keeps about probes cannot be made", path);
    }
    folder = Descriptor(::openat(folder.get(), part.c_str(), kFolder | O_NOFOLLOW));
    struct stat status {};
    if (folder && ::fstat(folder.get(), &status) == 0 && !trusted(status)) {
      return not_ours("it belongs to another user, or everybody can write to it", path);
    }
  }
  if (!folder) {
    struct stat status {};
    const int error = errno;
    const bool link = ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
    if (link) return not_ours("it is a link", path);
    errno = error;
    return failed(code_of(error), "the folder for what gpucoop keeps about probes cannot be opened", path);
  }
  struct stat status {};
  if (::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid()) {
    return not_ours("it belongs to another user", path);
  }
  if (make && (status.st_mode & 07777U) != kPrivate) ::fchmod(folder.get(), kPrivate);
  return folder;
}

Result<Descriptor> open_state_file(const Descriptor& folder, const std::string& name, int flags) {
  Descriptor file(::openat(folder.get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, kPrivateFile));
  if (!file) {
    if (errno == ELOOP) return not_ours("it is a link", name);
    return failed(code_of(errno), "a file that gpucoop keeps about probes cannot be opened", name);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      status.st_nlink > 1) {
    return not_ours("it is no file of this user alone", name);
  }
  return file;
}

}  // namespace gpucoop::probe
