#include "probe/cgroup.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace gpucoop::probe {
namespace {

/// Where the tree of version 2 is mounted (man proc_pid_mountinfo); empty: nowhere.
std::string mounted_at() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream words(line);
    std::string id, parent, device, root, place;
    words >> id >> parent >> device >> root >> place;
    // A part of the tree: paths in it are not those that processes are listed with.
    if (root == "/") return place;
  }
  return {};
}

/// The group of this process in that tree.
std::string own_path() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    constexpr std::string_view kVersion2 = "0::";
    if (line.compare(0, kVersion2.size(), kVersion2) == 0) return line.substr(kVersion2.size());
  }
  return {};
}

/// No two teams of one process have the same name.
std::string new_name() {
  static unsigned made = 0;
  return "gpucoop-" + std::to_string(::getpid()) + "-" + std::to_string(++made);
}

/// Groups of teams whose process is gone, or of earlier ones of this process, whose ranks could not be ended then. A
/// group that is in use stays.
void remove_old(int parent) {
  constexpr std::string_view kStart = "gpucoop-";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(::dup(parent)), ::closedir);
  if (!folder) return;
  ::rewinddir(folder.get());
  while (const auto* const entry = ::readdir(folder.get())) {
    const std::string name = static_cast<const char*>(entry->d_name);
    if (name.compare(0, kStart.size(), kStart) != 0) continue;
    const auto pid = name.substr(kStart.size(), name.find('-', kStart.size()) - kStart.size());
    if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const bool own = pid == std::to_string(::getpid());
    if (own || ::access(("/proc/" + pid).c_str(), F_OK) != 0) ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
  }
}

bool put(int fd, std::string_view text) {
  return ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

std::unique_ptr<Cgroup> Cgroup::make() {
  const auto mount = mounted_at();
  const auto path = own_path();
  if (mount.empty() || path.empty() || path.find("..") != std::string::npos) return nullptr;
  Descriptor parent(::open((mount + path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent) remove_old(parent.get());
  auto name = new_name();
  constexpr mode_t kMode = 0755;
  if (!parent || ::mkdirat(parent.get(), name.c_str(), kMode) != 0) return nullptr;
  const auto open_in = [&](const char* file) {
    return Descriptor(::openat(parent.get(), (name + "/" + file).c_str(), O_WRONLY | O_CLOEXEC));
  };
  auto members = open_in("cgroup.procs");
  auto killer = open_in("cgroup.kill");
  if (!members) {
    ::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR);
    return nullptr;
  }
  return std::make_unique<Cgroup>(std::move(parent), std::move(name), std::move(members), std::move(killer));
}

void Cgroup::enter() const {
  // Refused where the group above belongs to somebody else: the team then does without.
  [[maybe_unused]] const bool in = put(members_.get(), "0");
}

bool Cgroup::kill_all() const { return killer_ && put(killer_.get(), "1"); }

bool Cgroup::remove() const { return ::unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT; }

}  // namespace gpucoop::probe
