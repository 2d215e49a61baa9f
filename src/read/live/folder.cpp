#include "read/live/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace gpucoop {
namespace {

constexpr std::size_t kMostNames = 65536;

/// Why an attribute cannot be read (fs/sysfs, drivers/pci/pci-sysfs.c): a device that has gone is ENODEV or EIO, one
/// that has no such value now EINVAL or EOPNOTSUPP.
Reason reason_of(int error) {
  switch (error) {
    case EACCES:
    case EPERM: return Reason::no_root;
    case EAGAIN:
    case ETIMEDOUT: return Reason::timeout;
    case ENODEV:
    case ENXIO:
    case EIO: return Reason::device_lost;
    case EINVAL:
    case ENODATA:
    case EOPNOTSUPP: return Reason::not_in_input;
    default: return Reason::damaged;
  }
}

Known<std::string> failed(int error) {
  if (error == ENOENT || error == ENOTDIR) return Known<std::string>::absent();
  return Known<std::string>::unknown(reason_of(error));
}

ssize_t read_some(int fd, void* to, std::size_t count, std::size_t offset) {
  for (;;) {
    const auto got = ::pread(fd, to, count, static_cast<off_t>(offset));
    if (got >= 0 || errno != EINTR) return got;
  }
}

/// Opens a regular file of `folder` itself and nothing else: opening a pipe may wait, and opening a device may do
/// anything. None and `errno` where that fails.
Descriptor open_regular_at(int folder, const char* name) {
  struct stat status {};
  if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (!S_ISREG(status.st_mode)) {
    errno = EBADF;
    return {};
  }
  return Descriptor(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));
}

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;

std::string path_of(int fd) {
  std::array<char, 4096> target{};
  const auto link = "/proc/self/fd/" + std::to_string(fd);
  const auto length = ::readlink(link.c_str(), target.data(), target.size());
  return length <= 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(length));
}

bool is_below(const std::string& path, const std::string& root) {
  return !root.empty() && (path == root || path.rfind(root == "/" ? root : root + "/", 0) == 0);
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::size_t read_at(const Descriptor& file, std::size_t offset, std::span<std::uint8_t> bytes) {
  const auto got = read_some(file.get(), bytes.data(), bytes.size(), offset);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

struct Folder::Confinement {
  Descriptor root;
};

Folder Folder::open_at(int base, const std::string& path) {
  Folder folder;
  folder.folder_ = Descriptor(::openat(base, path.c_str(), kFolderFlags));
  folder.missing_ = !folder.folder_ && (errno == ENOENT || errno == ENOTDIR);
  return folder;
}

Folder Folder::open_confined(std::shared_ptr<const Confinement> root, std::string path) {
  Folder folder;
  const int base = root->root.get();
  struct open_how how {};
  how.flags = static_cast<std::uint64_t>(kFolderFlags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: somebody renamed something, anywhere on the host, while a `..` was followed (openat2(2)).
  constexpr int kMostTries = 64;
  for (int tries = 0; tries < kMostTries && !folder.folder_; ++tries) {
    folder.folder_ = Descriptor(static_cast<int>(::syscall(SYS_openat2, base, path.c_str(), &how, sizeof how)));
    if (!folder.folder_ && errno != EAGAIN && errno != EINTR) break;
  }
  // EPERM: containers of old forbid system calls that they do not know.
  if (!folder.folder_ && (errno == ENOSYS || errno == EPERM || errno == EAGAIN)) {
    folder.folder_ = Descriptor(::openat(base, path.c_str(), kFolderFlags));
    if (folder.folder_ && !is_below(path_of(folder.folder_.get()), path_of(base))) {
      folder.folder_ = Descriptor();
      errno = EXDEV;
    }
  }
  folder.missing_ = !folder.folder_ && (errno == ENOENT || errno == ENOTDIR);
  folder.root_ = std::move(root);
  folder.path_ = std::move(path);
  return folder;
}

Folder Folder::open(const std::string& path) { return open_at(AT_FDCWD, path); }

Folder Folder::open_below(const std::string& root, const std::string& path) {
  auto confinement = std::make_shared<Confinement>();
  confinement->root = Descriptor(::open(root.c_str(), kFolderFlags));
  if (!confinement->root) {
    Folder none;
    none.missing_ = errno == ENOENT || errno == ENOTDIR;
    return none;
  }
  return open_confined(std::move(confinement), path);
}

Folder Folder::folder(const std::string& name) const {
  if (ok()) return root_ ? open_confined(root_, path_ + "/" + name) : open_at(folder_.get(), name);
  Folder none;
  none.missing_ = missing_;
  return none;
}

Descriptor Folder::open_regular(const char* name) const {
  // On the way to a file of a copy there may be a link too.
  const std::string_view whole(name);
  const auto slash = root_ ? whole.rfind('/') : std::string_view::npos;
  if (slash == std::string_view::npos) return open_regular_at(folder_.get(), name);
  const auto inner = folder(std::string(whole.substr(0, slash)));
  if (inner.ok()) return open_regular_at(inner.folder_.get(), name + slash + 1);
  errno = inner.missing_ ? ENOENT : EACCES;
  return {};
}

Known<std::string> Folder::bytes(const char* name, std::size_t most) const {
  if (!ok()) return Known<std::string>::absent();
  const auto file = open_regular(name);
  if (!file) return failed(errno);
  std::array<char, kPage> page;  // NOLINT: not cleared, since most attributes are a few bytes and there are thousands
  const auto first = read_some(file.get(), page.data(), std::min(most, page.size()), 0);
  if (first < 0) return failed(errno);
  std::string text(page.data(), static_cast<std::size_t>(first));
  std::size_t got = text.size();
  // procfs gives long files piece by piece; asking sysfs for more than its one page would have the driver answer twice.
  for (bool more = first > 0 && most > kPage; more && got < most;) {
    if (got == text.size()) text.resize(std::min(most, std::max(kPage, 4 * got)));
    const auto piece = read_some(file.get(), text.data() + got, text.size() - got, got);
    if (piece < 0) return failed(errno);
    got += static_cast<std::size_t>(piece);
    more = piece > 0;
  }
  text.resize(got);
  return text;
}

Known<std::string> Folder::text(const char* name, std::size_t most) const {
  auto read = bytes(name, most);
  if (!read.is_known()) return read;
  std::string text = std::move(read).value();
  constexpr std::string_view kBlanks("\0 \t\r\n", 5);
  text.erase(text.find_last_not_of(kBlanks) + 1);
  if (text.empty()) return Known<std::string>::unknown(Reason::damaged);
  return text;
}

Descriptor Folder::file(const char* name) const { return ok() ? open_regular(name) : Descriptor(); }

Known<Folder::Status> Folder::status(const char* name) const {
  if (!ok()) return Known<Status>::absent();
  struct stat found {};
  if (::fstatat(folder_.get(), name, &found, AT_SYMLINK_NOFOLLOW) == 0) {
    return Status{static_cast<unsigned>(found.st_mode), static_cast<unsigned>(found.st_gid)};
  }
  if (errno == ENOENT || errno == ENOTDIR) return Known<Status>::absent();
  return Known<Status>::unknown(reason_of(errno));
}

bool Folder::may_read_and_write(const char* name) const {
  return ok() && ::faccessat(folder_.get(), name, R_OK | W_OK, AT_EACCESS) == 0;
}

Known<std::string> Folder::link(const char* name) const {
  if (!ok()) return Known<std::string>::absent();
  std::array<char, kPage> target;  // NOLINT: not cleared, as above
  const auto length = ::readlinkat(folder_.get(), name, target.data(), target.size());
  if (length < 0) return failed(errno == EINVAL ? EBADF : errno);
  return std::string(target.data(), static_cast<std::size_t>(length));
}

Known<std::string> Folder::link_name(const char* name) const {
  auto target = link(name);
  if (target.is_known()) target = target.value().substr(target.value().rfind('/') + 1);
  return target;
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> names;
  if (!ok()) return names;
  const int again = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = again < 0 ? nullptr : ::fdopendir(again);
  if (stream == nullptr) {
    const Descriptor unused(again);
    return names;
  }
  while (const auto* entry = ::readdir(stream)) {
    if (entry->d_name[0] == '.') continue;
    if (names.size() == kMostNames) break;
    names.emplace_back(entry->d_name);
  }
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace gpucoop
