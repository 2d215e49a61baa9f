#include "temporary_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace gpucoop {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// For the handler, which may touch nothing else. The owner is compared because a child has the handler, too.
char path_to_remove[PATH_MAX];
volatile pid_t owner = 0;

void remove_and_end(int signal_number) {
  if (owner == ::getpid()) ::unlink(path_to_remove);
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
}

void handle_signals(void (*from)(int), void (*to)(int)) {
  for (const int number : kSignals) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler != from) continue;  // ignored: nohup
    struct sigaction next {};
    next.sa_handler = to;
    ::sigaction(number, &next, nullptr);
  }
}

void remove_on_signal(const std::string& path) {
  if (path.size() >= sizeof path_to_remove) return;
  std::memcpy(path_to_remove, path.c_str(), path.size() + 1);
  owner = ::getpid();
  handle_signals(SIG_DFL, remove_and_end);
}

void keep_on_signal() {
  owner = 0;
  handle_signals(remove_and_end, SIG_DFL);
}

std::string random_name() {
  std::array<unsigned char, 8> bytes{};
  const auto got = ::getrandom(bytes.data(), bytes.size(), 0);
  std::string name = ".gpucoop-";
  for (ssize_t i = 0; i < got; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    name += kDigits[bytes[static_cast<std::size_t>(i)] >> 4U];
    name += kDigits[bytes[static_cast<std::size_t>(i)] & 15U];
  }
  return name;
}

/// Gives a file its name only where nothing has it: by the kernel, or where the file system cannot do that by making
/// an empty file first that nobody else can have made.
int name_it(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  const int taken = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (taken < 0) return errno;
  ::close(taken);
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

TemporaryFile TemporaryFile::beside(const std::string& path) {
  TemporaryFile file;
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  constexpr int kTries = 16;
  for (int i = 0; i < kTries && file.fd_ < 0; ++i) {
    file.path_ = folder + random_name();
    file.fd_ = ::open(file.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file.fd_ < 0 && errno != EEXIST) break;
  }
  const int number = errno;
  if (file.fd_ < 0) file.path_.clear();
  if (!file.path_.empty()) remove_on_signal(file.path_);
  errno = number;
  return file;
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::exchange(other.path_, {})) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  drop();
  fd_ = std::exchange(other.fd_, -1);
  path_ = std::exchange(other.path_, {});
  return *this;
}

TemporaryFile::~TemporaryFile() { drop(); }

int TemporaryFile::become(const std::string& path, bool overwrite) {
  // A pipe or the like behind the folder's file system may not know fsync.
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP) return errno;
  if (::close(std::exchange(fd_, -1)) != 0) return errno;
  const int number = !overwrite ? name_it(path_, path) : ::rename(path_.c_str(), path.c_str()) == 0 ? 0 : errno;
  if (number == 0) {
    path_.clear();
    keep_on_signal();
  }
  return number;
}

void TemporaryFile::drop() {
  if (!path_.empty()) {
    ::unlink(path_.c_str());
    path_.clear();
    keep_on_signal();
  }
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace gpucoop
