#include "read/live/reader_child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "read/live/folder.hpp"

namespace gpucoop {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kProgressRoom = 512;
constexpr std::size_t kLengthBytes = 4;
constexpr std::uint32_t kFinished = 0xffffffff;  ///< in place of a length: the job has returned

/// Memory that parent and child share. A child that is stuck can tell nothing any more, but what it wrote stays.
class Progress {
 public:
  Progress() {
    void* const memory = ::mmap(nullptr, kProgressRoom, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) text_ = static_cast<char*>(memory);
  }
  ~Progress() {
    if (text_ != nullptr) ::munmap(text_, kProgressRoom);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  [[nodiscard]] char* memory() const { return text_; }
  [[nodiscard]] std::string text() const {
    if (text_ == nullptr) return {};
    return {text_, std::find(text_, text_ + kProgressRoom, '\0')};
  }

 private:
  char* text_ = nullptr;
};

std::array<char, kLengthBytes> encoded(std::uint32_t length) {
  std::array<char, kLengthBytes> bytes{};
  std::memcpy(bytes.data(), &length, bytes.size());
  return bytes;
}

[[noreturn]] void leave() { ::_exit(0); }

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) leave();
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

/// Closes `first` to `last`.
void close_all(unsigned first, unsigned last) {
  if (first > last || ::syscall(SYS_close_range, first, last, 0U) == 0) return;
  const auto limit = static_cast<unsigned>(std::clamp(::sysconf(_SC_OPEN_MAX), 3L, 65536L));
  for (auto fd = first; fd <= last && fd < limit; ++fd) ::close(static_cast<int>(fd));
}

/// Leaves the pipe as the only thing that the child has in common with its parent. Gives its descriptor.
int keep_only(int pipe) {
  constexpr int kFirst = 3;  // after standard input, output and error
  const int kept = pipe >= kFirst ? pipe : ::fcntl(pipe, F_DUPFD_CLOEXEC, kFirst);
  if (kept < 0) leave();
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (int fd = 0; fd < kFirst; ++fd) {
    if (null < 0 || (null != fd && ::dup2(null, fd) < 0)) ::close(fd);
  }
  const auto number = static_cast<unsigned>(kept);
  close_all(kFirst, number - 1);
  close_all(number + 1, ~0U);
  return kept;
}

[[noreturn]] void run_child(const std::function<void(ChildOutput&)>& job, int pipe, pid_t parent, char* progress) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) leave();
  ::prctl(PR_SET_NAME, "gpucoop-reader");
  const int kept = keep_only(pipe);
  ChildOutput output(kept, progress, kProgressRoom);
  try {
    job(output);
  } catch (...) {
    leave();
  }
  const auto end = encoded(kFinished);
  write_all(kept, {end.data(), end.size()});
  leave();
}

/// Cuts the whole messages off the front of `bytes`. True once the end is among them.
bool take_messages(std::string& bytes, std::vector<std::string>& messages) {
  std::size_t at = 0;
  bool finished = false;
  while (!finished && bytes.size() - at >= kLengthBytes) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, kLengthBytes);
    finished = length == kFinished;
    if (finished || bytes.size() - at - kLengthBytes < length) break;
    messages.push_back(bytes.substr(at + kLengthBytes, length));
    at += kLengthBytes + length;
  }
  bytes.erase(0, at);
  return finished;
}

ChildReading::End take_all(int pipe, Clock::time_point deadline, std::size_t most, std::vector<std::string>& messages) {
  using End = ChildReading::End;
  std::string bytes;
  std::size_t taken = 0;
  std::vector<char> buffer(std::size_t{64} << 10);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    struct pollfd ready {
      pipe, POLLIN, 0
    };
    // What lies in the pipe when the deadline has passed counts: it may have come long before.
    const int got = ::poll(&ready, 1, left.count() < 0 ? 0 : static_cast<int>(left.count()) + 1);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) return End::timeout;
    const auto count = got < 0 ? -1 : ::read(pipe, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return End::failed;
    taken += static_cast<std::size_t>(count);
    if (taken > most) return End::too_much;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
    if (take_messages(bytes, messages)) return End::finished;
  }
}

/// False where the child does not end although it was killed. It stays a child that nobody waits for, and init takes
/// it over.
bool end_child(pid_t child) {
  ::kill(child, SIGKILL);
  constexpr std::chrono::milliseconds kGrace(250);
  const auto until = Clock::now() + kGrace;
  for (long pause = 50'000; Clock::now() < until; pause = std::min(pause * 2, 5'000'000L)) {
    const auto ended = ::waitpid(child, nullptr, WNOHANG);
    // ECHILD: whoever started this process has it ignore its children's ends.
    if (ended == child || (ended < 0 && errno == ECHILD)) return true;
    const struct timespec time { 0, pause };
    ::nanosleep(&time, nullptr);
  }
  return false;
}

}  // namespace

void ChildOutput::reading(std::string_view what) {
  if (progress_ == nullptr) return;
  const auto length = std::min(what.size(), room_ - 1);
  std::memcpy(progress_, what.data(), length);
  progress_[length] = '\0';
}

void ChildOutput::send(std::string_view message) {
  const auto length = encoded(static_cast<std::uint32_t>(message.size()));
  std::string bytes(length.data(), length.size());
  bytes += message;
  write_all(fd_, bytes);
}

struct ReaderChild::Running {
  Progress progress;
  Descriptor from;
  pid_t process = 0;
  Clock::time_point deadline;
  std::size_t most = 0;
};

ReaderChild::ReaderChild(const std::function<void(ChildOutput&)>& job, const ChildLimits& limits) {
  auto running = std::make_unique<Running>();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  running->from = Descriptor(ends[0]);
  const Descriptor to(ends[1]);
  running->deadline = Clock::now() + limits.deadline;
  running->most = limits.bytes;
  const auto parent = ::getpid();
  running->process = ::fork();
  if (running->process == 0) run_child(job, to.get(), parent, running->progress.memory());
  if (running->process > 0) running_ = std::move(running);
}

ReaderChild::~ReaderChild() {
  if (running_) (void)end_child(running_->process);
}

ChildReading ReaderChild::take() {
  ChildReading reading;
  const auto running = std::move(running_);
  if (!running) return reading;
  reading.end = take_all(running->from.get(), running->deadline, running->most, reading.messages);
  if (!end_child(running->process)) reading.stuck = static_cast<std::uint32_t>(running->process);
  reading.last = running->progress.text();
  return reading;
}

ChildReading read_in_child(const std::function<void(ChildOutput&)>& job, const ChildLimits& limits) {
  return ReaderChild(job, limits).take();
}

}  // namespace gpucoop
