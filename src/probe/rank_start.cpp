#include "probe/rank_start.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "wire/start.hpp"

namespace gpucoop::probe {
namespace {

constexpr int kCannotRun = 126;
constexpr int kNoSuchFile = 127;

[[noreturn]] void give_up(const char* what) {
  const int error = errno;
  const auto text = std::string("gpucoop: a rank cannot be started: ") + what + ": " + std::strerror(error) + "\n";
  [[maybe_unused]] const auto put = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(error == ENOENT ? kNoSuchFile : kCannotRun);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));  // execve does not write to them
  list.push_back(nullptr);
  return list;
}

/// Puts each descriptor where the rank expects it, whatever numbers they have now.
void place_descriptors(const RankStart& start) {
  constexpr int kFree = 16;
  const std::array<int, 5> places = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, wire::kChannelFd, wire::kBoardFd};
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::array<int, places.size()> from = {null, start.output, start.output, start.channel, start.board};
  for (auto& fd : from) fd = moved_above(fd, kFree);
  // Standard error first, so that what goes wrong from here on is told.
  ::dup2(from[2], STDERR_FILENO);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (::dup2(from[i], places[i]) < 0) give_up("its descriptors");
  }
  close_from(static_cast<unsigned>(wire::kBoardFd) + 1);
}

[[noreturn]] void become_rank(const RankStart& start, pid_t keeper) {
  ::setpgid(0, 0);
  if (start.cgroup != nullptr) start.cgroup->enter();
  reset_signals();
  place_descriptors(start);
  const struct rlimit no_core { 0, 0 };
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (!take_on(*start.privilege)) give_up("the user of the rank");
  // After the change of user, which takes the signal back.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(kCannotRun);
  const auto arguments = pointers(*start.arguments);
  const auto environment = pointers(*start.environment);
  ::execve(start.executable, arguments.data(), environment.data());
  give_up(start.executable);
}

}  // namespace

pid_t start_rank(const RankStart& start) {
  const pid_t keeper = ::getpid();
  const pid_t rank = ::fork();
  if (rank == 0) become_rank(start, keeper);
  // Both do it: whoever comes first.
  if (rank > 0) ::setpgid(rank, rank);
  return rank;
}

void close_from(unsigned first) {
  if (::syscall(SYS_close_range, first, ~0U, 0U) == 0) return;
  const auto limit = static_cast<unsigned>(std::clamp(::sysconf(_SC_OPEN_MAX), 3L, 65536L));
  for (auto fd = first; fd < limit; ++fd) ::close(static_cast<int>(fd));
}

int moved_above(int from, int least) { return ::fcntl(from, F_DUPFD_CLOEXEC, least); }

void reset_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigemptyset(&action.sa_mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal != SIGKILL && signal != SIGSTOP) ::sigaction(signal, &action, nullptr);
  }
  ::sigprocmask(SIG_SETMASK, &action.sa_mask, nullptr);
}

}  // namespace gpucoop::probe
