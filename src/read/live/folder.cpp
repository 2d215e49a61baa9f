#include "read/live/folder.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
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

constexpr int kFileFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;

int open_resolving(int folder, const char* path, int flags, std::uint64_t resolve) {
  struct open_how how {};
  how.flags = static_cast<unsigned>(flags);
  how.resolve = resolve;
  return static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how));
}

/// Opens a regular file of `folder` itself and nothing else: opening a pipe may wait, and opening a device may do
/// anything. None and `errno` where that fails.
Descriptor open_checked(int folder, const char* name) {
  struct stat status {};
  if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (!S_ISREG(status.st_mode)) {
    errno = EBADF;
    return {};
  }
  return Descriptor(::openat(folder, name, kFileFlags));
}

/// The same below a folder that is kernel-made, in one call. What somebody mounted over a file of it may be a device,
/// so no mount is entered.
Descriptor open_kernel_made(int folder, const char* name) {
  Descriptor file(open_resolving(folder, name, kFileFlags, RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS));
  // ENOSYS, EPERM: as for folders.
  if (file || (errno != EXDEV && errno != ENOSYS && errno != EPERM && errno != EAGAIN)) return file;
  return open_checked(folder, name);
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

std::size_t read_at(const Descriptor& file, std::size_t offset, std::span<std::uint8_t> bytes) {
  const auto got = read_some(file.get(), bytes.data(), bytes.size(), offset);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool is_kernel_made(const Descriptor& descriptor) {
  struct statfs status {};
  return ::fstatfs(descriptor.get(), &status) == 0 &&
         (status.f_type == SYSFS_MAGIC || status.f_type == PROC_SUPER_MAGIC);
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
  // EAGAIN: somebody renamed something, anywhere on the host, while a `..` was followed (openat2(2)).
  constexpr int kMostTries = 64;
  for (int tries = 0; tries < kMostTries && !folder.folder_; ++tries) {
    folder.folder_ =
        Descriptor(open_resolving(base, path.c_str(), kFolderFlags, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS));
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

bool Folder::kernel_made() const {
  if (!kernel_made_) kernel_made_ = ok() && !root_ && is_kernel_made(folder_);
  return *kernel_made_;
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
  if (slash == std::string_view::npos) {
    return kernel_made() ? open_kernel_made(folder_.get(), name) : open_checked(folder_.get(), name);
  }
  const auto inner = folder(std::string(whole.substr(0, slash)));
  if (inner.ok()) return inner.open_regular(name + slash + 1);
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
    return Status{static_cast<unsigned>(found.st_mode), static_cast<unsigned>(found.st_gid),
                  static_cast<std::uint64_t>(found.st_size)};
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
  // As getdents64(2): the inode and the offset of the next entry, the entry's length and type, and its name.
  constexpr std::size_t kLengthAt = 16;
  constexpr std::size_t kNameAt = 19;
  std::vector<std::string> names;
  if (!ok() || ::lseek(folder_.get(), 0, SEEK_SET) != 0) return names;
  std::vector<char> room(std::size_t{32} << 10);
  for (;;) {
    const auto got = ::syscall(SYS_getdents64, folder_.get(), room.data(), room.size());
    if (got <= 0) break;
    for (std::size_t at = 0; at + kNameAt < static_cast<std::size_t>(got);) {
      std::uint16_t length = 0;
      std::memcpy(&length, room.data() + at + kLengthAt, sizeof length);
      const std::string_view name(room.data() + at + kNameAt);
      if (name.front() != '.' && names.size() < kMostNames) names.emplace_back(name);
      at += length;
    }
    if (names.size() == kMostNames) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace gpucoop
