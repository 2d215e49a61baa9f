#include "streams.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "render/escape.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kLargestInput = std::size_t{1} << 30;

std::string system_text(int number) { return std::strerror(number); }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Error cannot_read(const std::string& name, int number) {
  if (number == EACCES || number == EPERM) {
    return {ExitCode::permission, "may not be read: " + system_text(number), name,
            "make it readable for you, or run as its owner"};
  }
  if (number == ENOENT || number == ENOTDIR) {
    return {ExitCode::no_such_input, "no such file", name, "check the path; `-` reads standard input"};
  }
  return {ExitCode::no_such_input, "cannot be read: " + system_text(number), name, ""};
}

}  // namespace

void prepare_streams() {
  ::signal(SIGPIPE, SIG_IGN);
  // A closed standard stream is filled by one that fails in its direction, so that writing to it stays an error.
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    const int got = ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (got != fd && got >= 0) ::close(got);
  }
}

Result<std::string> read_file(const std::string& name) {
  const bool standard = name == "-";
  const std::string shown = standard ? "standard input" : name;
  const Descriptor file(standard ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return cannot_read(shown, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return cannot_read(shown, errno);
  if (S_ISDIR(status.st_mode)) {
    return Error{ExitCode::no_such_input, "is a directory, not a file", shown, "name the files in it, one --from each"};
  }
  std::string bytes;
  std::size_t used = 0;
  const auto stated = status.st_size > 0 ? static_cast<std::size_t>(status.st_size) : 0;
  std::size_t room = std::min(stated + 1, kLargestInput + 1);
  while (true) {
    if (room < used + 65536 && used == bytes.size())
      room = std::min(used + std::max(used, std::size_t{65536}), kLargestInput + 1);
    if (bytes.size() < room) bytes.resize(room);
    const ssize_t got = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(shown, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > kLargestInput) {
      return Error{ExitCode::bad_input, "is larger than 1 GiB", shown, "give the part that describes one host"};
    }
  }
  bytes.resize(used);
  return bytes;
}

Status write_all(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EPIPE) return std::nullopt;
    if (wrote < 0) {
      return Error{ExitCode::cannot_create, "cannot be written: " + system_text(errno), std::string(name), ""};
    }
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return std::nullopt;
}

void print_error(const Error& error) {
  std::string text = "gpucoop: ";
  if (!error.where.empty()) text += escape(error.where) + ": ";
  text += escape(error.what) + "\n";
  std::string_view rest = error.next;
  for (const char* lead = "  next: "; !rest.empty(); lead = "        ") {
    const auto end = std::min(rest.find('\n'), rest.size());
    text += lead + escape(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  static_cast<void>(write_all(STDERR_FILENO, text, ""));
}

ExitCode fail(const Error& error) {
  print_error(error);
  return error.code;
}

void print_note(std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, "gpucoop: " + escape(text) + "\n", ""));
}

}  // namespace gpucoop
