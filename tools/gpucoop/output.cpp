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
          "choose another file with -o, or leave -o out to print"};
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

mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

}  // namespace

Result<Output> Output::open(const OutputOptions& options) {
  Output output;
  if (options.file.empty() || options.file == "-") return Result<Output>(std::move(output));
  output.fd_ = -1;
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
  const auto slash = output.name_.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : output.name_.substr(0, slash + 1);
  output.temporary_ = folder + ".gpucoop-XXXXXX";
  output.fd_ = ::mkostemp(output.temporary_.data(), O_CLOEXEC);
  if (output.fd_ < 0) {
    const int number = errno;
    output.temporary_.clear();
    return cannot_make(options.file, number);
  }
  if (::fchmod(output.fd_, default_mode()) != 0) return cannot_make(options.file, errno);
  return Result<Output>(std::move(output));
}

Output::Output(Output&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::exchange(other.name_, {})),
      temporary_(std::exchange(other.temporary_, {})),
      overwrite_(other.overwrite_) {}

Output::~Output() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

Status Output::finish(std::string_view bytes) {
  if (auto error = write_all(fd_, bytes, name_.empty() ? "standard output" : name_)) return error;
  if (temporary_.empty()) return std::nullopt;
  if (::close(std::exchange(fd_, -1)) != 0) return cannot_make(name_, errno);
  if (overwrite_) {
    if (::rename(temporary_.c_str(), name_.c_str()) != 0) return cannot_make(name_, errno);
    temporary_.clear();
    return std::nullopt;
  }
  // link() refuses where another program has made the file meanwhile; rename() would replace it.
  if (::link(temporary_.c_str(), name_.c_str()) == 0) return std::nullopt;
  if (errno == EEXIST) return exists(name_);
  if (::access(name_.c_str(), F_OK) == 0) return exists(name_);
  if (::rename(temporary_.c_str(), name_.c_str()) != 0) return cannot_make(name_, errno);  // no hard links here
  temporary_.clear();
  return std::nullopt;
}

}  // namespace gpucoop
