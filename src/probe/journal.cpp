#include "probe/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <optional>
#include <thread>
#include <utility>

#include "probe/journal_lines.hpp"
#include "probe/process_state.hpp"

namespace gpucoop::probe {
namespace {

constexpr const char* kName = "journal";
constexpr const char* kOlder = "journal.1";
// Every start of the program reads the whole journal, and nobody needs more of it than what is unfinished.
constexpr std::size_t kFull = std::size_t{32} << 10;
constexpr std::size_t kMostRead = std::size_t{512} << 10;  ///< of each of the two files: its end

std::string now() {
  const auto time = std::time(nullptr);
  struct tm parts {};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string boot_id() {
  const Descriptor file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const auto got = file ? ::read(file.get(), text.data(), text.size()) : 0;
  std::string id(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  id.erase(std::remove_if(id.begin(), id.end(), [](char c) { return c <= ' '; }), id.end());
  return id.empty() ? "unknown" : id;
}

bool is_alive(std::int32_t pid, std::uint64_t started) {
  const auto state = process_state(pid);
  return state && state->state != 'Z' && state->started == started;
}

/// The end of a file, from the beginning of a line.
std::string end_of(const Descriptor& folder, const char* name) {
  const auto file = open_state_file(folder, name, O_RDONLY);
  if (!file) return {};
  struct stat status {};
  if (::fstat(file.value().get(), &status) != 0 || status.st_size <= 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  const auto skipped = size > kMostRead ? size - kMostRead : 0;
  std::string text(size - skipped, '\0');
  const auto got = ::pread(file.value().get(), text.data(), text.size(), static_cast<off_t>(skipped));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (skipped != 0) text.erase(0, text.find('\n') == std::string::npos ? text.size() : text.find('\n') + 1);
  return text;
}

JournalReading read_all(const Descriptor& folder) {
  return parse_journal(end_of(folder, kOlder) + "\n" + end_of(folder, kName), boot_id(), is_alive);
}

/// Whether a file is empty or ends with the end of a line: a write that the end of power or of space has cut is then
/// not continued.
bool ends_a_line(int file) {
  struct stat status {};
  char last = '\n';
  if (::fstat(file, &status) == 0 && status.st_size > 0 && ::pread(file, &last, 1, status.st_size - 1) != 1)
    return false;
  return last == '\n';
}

/// A lock on the folder, which stays when files are renamed: shared by who writes, so that no file goes away under it
/// once its lines have been read for the next one. Not waited for much longer than it is ever held: who is stopped with
/// it must not stop a probe.
class FolderLock {
 public:
  FolderLock(const Descriptor& folder, int kind) : folder_(folder) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kMost(500);
    for (const auto until = Clock::now() + kMost; !held_; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      held_ = ::flock(folder_.get(), kind | LOCK_NB) == 0;
      if (held_ || Clock::now() >= until) break;
    }
  }
  ~FolderLock() {
    if (held_) ::flock(folder_.get(), LOCK_UN);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  [[nodiscard]] bool held() const { return held_; }

 private:
  const Descriptor& folder_;
  bool held_ = false;
};

/// Not while the files change their names: one of them would be missed.
JournalReading read_both(const Descriptor& folder) {
  const FolderLock lock(folder, LOCK_SH);
  return read_all(folder);
}

Error cannot_write(const std::string& path) {
  return {ExitCode::cannot_create,
          std::string("what is about to be probed cannot be written down: ") + std::strerror(errno), path,
          errno == ENOSPC || errno == EDQUOT ? "make room there" : ""};
}

}  // namespace

Result<Journal> Journal::open(const StatePlace& place) {
  auto folder = open_state(place, true);
  if (!folder) return folder.error();
  const auto path = place.path() + "/" + kName;
  const auto file = open_state_file(folder.value(), kName, O_RDWR | O_APPEND | O_CREAT);
  if (!file) {
    auto error = file.error();
    error.where = path;
    return error;
  }
  ::fsync(folder.value().get());
  return Journal(std::move(folder).value(), path);
}

Result<JournalReading> Journal::look(const StatePlace& place) {
  const auto folder = open_state(place, false);
  if (folder) return read_both(folder.value());
  if (folder.error().code == ExitCode::no_such_input) return JournalReading{};
  return folder.error();
}

Status Journal::append(const std::string& line) {
  rotate();
  std::optional<FolderLock> lock(std::in_place, folder_, LOCK_SH);
  const auto file = open_state_file(folder_, kName, O_RDWR | O_APPEND | O_CREAT);
  if (!file) {
    auto error = file.error();
    error.where = path_;
    return error;
  }
  // One write: what other probes add at the same time comes before or after it.
  const auto bytes = (ends_a_line(file.value().get()) ? "" : "\n") + line + "\n";
  const auto put = ::write(file.value().get(), bytes.data(), bytes.size());
  lock.reset();
  if (put >= 0 && static_cast<std::size_t>(put) < bytes.size()) errno = ENOSPC;
  if (put != static_cast<ssize_t>(bytes.size())) return cannot_write(path_);
  if (::fdatasync(file.value().get()) != 0 && errno != EINVAL && errno != EROFS) return cannot_write(path_);
  return {};
}

void Journal::rotate() const {
  struct stat status {};
  if (::fstatat(folder_.get(), kName, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (static_cast<std::size_t>(status.st_size) < kFull) return;
  const FolderLock lock(folder_, LOCK_EX);
  if (!lock.held()) return;
  if (::fstatat(folder_.get(), kName, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      static_cast<std::size_t>(status.st_size) >= kFull) {
    // What is still open goes along, from both files; but not so much that the new one is full at once.
    std::string open;
    for (const auto& unfinished : read_all(folder_).unfinished) {
      const auto line = begin_line(unfinished.entry) + "\n";
      if (open.size() + line.size() < kFull / 2) open += line;
    }
    if (::renameat(folder_.get(), kName, folder_.get(), kOlder) == 0 && !open.empty()) {
      const auto file = open_state_file(folder_, kName, O_WRONLY | O_APPEND | O_CREAT);
      if (file && ::write(file.value().get(), open.data(), open.size()) > 0) ::fdatasync(file.value().get());
    }
    ::fsync(folder_.get());
  }
}

Result<std::string> Journal::begin(std::string_view rung, const std::vector<Address>& of) {
  JournalEntry entry;
  entry.boot = boot_id();
  entry.pid = ::getpid();
  const auto self = process_state(entry.pid);
  entry.started = self ? self->started : 0;
  entry.id = std::to_string(entry.pid) + "-" + std::to_string(entry.started) + "-" + std::to_string(++written_);
  entry.at = now();
  entry.rung = std::string(rung);
  entry.of = of;
  if (auto error = append(begin_line(entry))) return *error;
  return entry.id;
}

Status Journal::finish(const std::string& id, std::string_view state) { return append(end_line(id, state, now())); }

JournalReading Journal::unfinished() const { return read_both(folder_); }

Status Journal::acknowledge(const JournalReading& reading) {
  for (const auto& unfinished : reading.unfinished) {
    if (unfinished.why == Unfinished::Why::running) continue;
    if (auto error = append(end_line(unfinished.entry.id, "told", now()))) return error;
  }
  return {};
}

}  // namespace gpucoop::probe
