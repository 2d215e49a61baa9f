#include "collective/nccl/log_tap.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

namespace gpucoop::collective::nccl {

using runtime::Failure;
using runtime::Outcome;

Outcome<LogTap*> LogTap::instance() {
  // Reachable for ever on purpose.
  static LogTap* tap = nullptr;
  if (tap != nullptr) return tap;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
    return Failure{ProbeState::failed, std::string("a pipe for the library's log: ") + std::strerror(errno)};
  tap = new LogTap(ends[0], ends[1]);
  try {
    std::thread([own = tap] { own->drain(); }).detach();
  } catch (const std::system_error& error) {
    tap = nullptr;
    return Failure{ProbeState::failed, std::string("a thread for the library's log: ") + error.what()};
  }
  return tap;
}

std::string LogTap::file() const { return "/proc/self/fd/" + std::to_string(out_); }

void LogTap::begin(std::uint64_t number) {
  if (current_.exchange(number) == number) return;
  const std::string line = LogReader::mark(number);
  // Shorter than PIPE_BUF, so never mixed with the library's own lines; what does not get through is a transport less.
  [[maybe_unused]] const auto written = write(out_, line.data(), line.size());
}

LogReader LogTap::read() {
  // The library writes whole lines, and the reader is quick: what was written is in the pipe, or read, or being read.
  for (int i = 0; i < 100; ++i) {
    int waiting = 0;
    {
      const std::lock_guard lock(mutex_);
      if (ioctl(in_, FIONREAD, &waiting) != 0 || waiting == 0) return reader_;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::lock_guard lock(mutex_);
  return reader_;
}

void LogTap::drain() {
  std::array<char, 65536> bytes{};
  pollfd waiting{in_, POLLIN, 0};
  for (;;) {
    if (poll(&waiting, 1, -1) < 0 && errno != EINTR) return;
    // Taken and noted at once, so that whoever finds the pipe empty under the lock finds everything noted.
    const std::lock_guard lock(mutex_);
    const auto count = ::read(in_, bytes.data(), bytes.size());
    if (count > 0) reader_.take({bytes.data(), static_cast<std::size_t>(count)});
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return;
  }
}

}  // namespace gpucoop::collective::nccl
