#include "probe/ask.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/descriptor.hpp"
#include "probe/privilege.hpp"
#include "probe/rank_start.hpp"

namespace gpucoop::probe {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kCannotRun = 126;
constexpr std::chrono::milliseconds kEndTime{400};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));  // execve does not write to them
  list.push_back(nullptr);
  return list;
}

struct Orders {
  const char* executable;
  char* const* arguments;
  char* const* environment;
  const Privilege* privilege;
  int output;
  pid_t parent;
};

[[noreturn]] void become(const Orders& orders) {
  constexpr int kFree = 16;
  ::setpgid(0, 0);
  reset_signals();
  const int out = moved_above(orders.output, kFree);
  const int null = moved_above(::open("/dev/null", O_RDWR | O_CLOEXEC), kFree);
  if (::dup2(null, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 || ::dup2(null, STDERR_FILENO) < 0)
    ::_exit(kCannotRun);
  close_from(STDERR_FILENO + 1);
  if (!take_on(*orders.privilege)) ::_exit(kCannotRun);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != orders.parent) ::_exit(kCannotRun);
  ::execve(orders.executable, orders.arguments, orders.environment);
  ::_exit(kCannotRun);
}

/// Reads until the end. Why it was not reached; empty: it was.
std::string read_all(int fd, Clock::time_point until, std::size_t most, std::string& bytes) {
  std::array<char, 16384> part{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return "has not answered in time";
    pollfd look{fd, POLLIN, 0};
    const int ready = ::poll(&look, 1, static_cast<int>(std::min<std::int64_t>(left, 1000)));
    if (ready < 0 && errno != EINTR) return std::strerror(errno);
    if (ready <= 0) continue;
    const auto got = ::read(fd, part.data(), part.size());
    if (got == 0) return {};
    if (got < 0 && errno != EINTR) return std::strerror(errno);
    if (got > 0) bytes.append(part.data(), static_cast<std::size_t>(got));
    if (bytes.size() > most) return "says too much";
  }
}

/// False where it has not ended by then.
bool ended(pid_t child, Clock::time_point until, int& status) {
  constexpr std::chrono::milliseconds kStep{2};
  for (;;) {
    const auto got = ::waitpid(child, &status, WNOHANG);
    if (got == child) return true;
    if (got < 0 && errno != EINTR) return false;
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(kStep);
  }
}

}  // namespace

Result<std::string> ask_program(const std::string& executable, const std::vector<std::string>& arguments,
                                std::chrono::milliseconds deadline, std::size_t most) {
  const auto failed = [&](const std::string& why) { return Error{ExitCode::internal, why, executable, ""}; };
  const auto until = Clock::now() + deadline;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed(std::strerror(errno));
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const auto privilege = current_privilege();
  const auto environment = rank_environment(current_environment(), privilege, {}, {}).variables;
  const auto words = pointers(arguments);
  const auto variables = pointers(environment);
  const Orders orders{executable.c_str(), words.data(), variables.data(), &privilege, to.get(), ::getpid()};
  const pid_t child = ::fork();
  if (child < 0) return failed(std::strerror(errno));
  if (child == 0) become(orders);
  ::setpgid(child, child);  // both do it: whoever comes first
  to.close();
  std::string bytes;
  auto trouble = read_all(from.get(), until, most, bytes);
  int status = 0;
  const bool left = trouble.empty() && ended(child, until, status);
  if (!left) {
    if (trouble.empty()) trouble = "has not ended in time";
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
    static_cast<void>(ended(child, Clock::now() + kEndTime, status));
    return failed(trouble);
  }
  if (WIFSIGNALED(status)) return failed("died of signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return failed("ended with " + std::to_string(WEXITSTATUS(status)));
  return bytes;
}

}  // namespace gpucoop::probe
