#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "streams.hpp"

namespace gpucoop {
namespace {

Error cannot_make(const std::string& name, int number) {
  return {ExitCode::cannot_create, std::string("cannot be made: ") + std::strerror(number), name,
          "choose another file with -o, or print with -o -"};
}

Error exists(const std::string& name) {
  return {ExitCode::cannot_create, "exists and is kept", name, "choose another file, or add --overwrite to replace it"};
}

// A link's target, so that --overwrite replaces the file and not the link.
std::string resolved(const std::string& name) {
  char* path = ::realpath(name.c_str(), nullptr);
  if (path == nullptr) return name;
  std::string result(path);
  std::free(path);  // NOLINT: realpath's contract
  return result;
}

/// A link in a folder where everybody may make one, made by somebody else: the kernel does not follow these either
/// (fs.protected_symlinks), because it would lead to a file of the caller's that the other one chose.
bool is_foreign_link(const std::string& name) {
  struct stat link {};
  if (::lstat(name.c_str(), &link) != 0 || !S_ISLNK(link.st_mode)) return false;
  const auto slash = name.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : name.substr(0, slash + 1);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return false;
  const bool shared = (status.st_mode & S_ISVTX) != 0 && (status.st_mode & S_IWOTH) != 0;
  return shared && link.st_uid != ::geteuid() && link.st_uid != status.st_uid;
}

}  // namespace

Result<Output> Output::open(const OutputOptions& options) {
  Output output;
  if (options.file.empty() || options.file == "-") return Result<Output>(std::move(output));
  output.fd_ = -1;
  if (is_foreign_link(options.file)) return cannot_make(options.file, EACCES);
  output.name_ = resolved(options.file);
  output.overwrite_ = options.overwrite;
  struct stat status {};
  if (::stat(output.name_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return cannot_make(options.file, EISDIR);
    if (!S_ISREG(status.st_mode)) {  // a device or a pipe is written as it is
      output.fd_ = ::open(output.name_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
      if (output.fd_ < 0) return cannot_make(options.file, errno);
      return Result<Output>(std::move(output));
    }
    if (!options.overwrite) return exists(options.file);
  }
  output.temporary_ = TemporaryFile::beside(output.name_);
  if (output.temporary_.fd() < 0) return cannot_make(options.file, errno);
  return Result<Output>(std::move(output));
}

Output::Output(Output&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::exchange(other.name_, {})),
      temporary_(std::move(other.temporary_)),
      overwrite_(other.overwrite_) {}

Output::~Output() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

Status Output::finish(std::string_view bytes) {
  const bool file = temporary_.fd() >= 0;
  if (auto error = write_all(file ? temporary_.fd() : fd_, bytes, name_.empty() ? "standard output" : name_)) {
    return error;
  }
  if (!file) return std::nullopt;
  const int number = temporary_.become(name_, overwrite_);
  if (number == EEXIST) return exists(name_);
  if (number != 0) return cannot_make(name_, number);
  return std::nullopt;
}

}  // namespace gpucoop
