#include "probe/keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

#include "base/descriptor.hpp"
#include "probe/process_ending.hpp"
#include "probe/process_state.hpp"
#include "probe/rank_start.hpp"

namespace gpucoop::probe {
namespace {

using Clock = std::chrono::steady_clock;

class Keeper {
 public:
  explicit Keeper(const KeeperSetup& setup) : setup_(setup) {}

  void run() {
    watch_signals();
    start_all();
    while (!over()) {
      wait();
      reap();
      if (phase_ != Phase::running && Clock::now() >= until_) next_phase();
    }
    report_stuck();
    if (setup_.cgroup != nullptr) remove_group();
    tell({});
  }

 private:
  /// `leaving`: ranks end by themselves; `asked`: TERM was sent; `killed`: KILL; `given_up`: that was not enough.
  enum class Phase : std::uint8_t { running, leaving, asked, killed, given_up };

  /// Signals are read from a descriptor: no handler, and nothing that comes between two looks is lost.
  void watch_signals() {
    reset_signals();
    sigset_t watched;
    ::sigemptyset(&watched);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&watched, signal);
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);
    signals_ = Descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  void start_all() {
    ranks_.resize(setup_.channels.size(), 0);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      RankStart start;
      start.executable = setup_.executable.c_str();
      start.arguments = &setup_.arguments[i];
      start.environment = &setup_.environment;
      start.channel = setup_.channels[i];
      start.output = setup_.outputs[i];
      start.board = setup_.board;
      start.cgroup = setup_.cgroup;
      start.privilege = &setup_.privilege;
      KeeperMessage message;
      message.rank = static_cast<std::int32_t>(i);
      message.pid = ranks_[i] = start_rank(start);
      message.kind = ranks_[i] > 0 ? KeeperMessage::Kind::started : KeeperMessage::Kind::not_started;
      message.status = ranks_[i] > 0 ? 0 : errno;
      tell(message);
    }
    // The ends of the ranks are theirs alone from here on, so that it shows when they close them.
    for (const int fd : setup_.channels) ::close(fd);
    for (const int fd : setup_.outputs) ::close(fd);
    ::close(setup_.board);
  }

  void tell(const KeeperMessage& message) const {
    // Nobody is waited for: where this process' parent is gone or stopped, the ranks are what counts.
    [[maybe_unused]] const auto sent = ::send(setup_.control, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  [[nodiscard]] bool over() const { return phase_ == Phase::given_up || (phase_ != Phase::running && !has_children_); }

  /// Until something comes: a signal, a command, the end of a phase.
  void wait() {
    // After KILL more often than signals come: what is being started while it is killed has to be found.
    constexpr std::chrono::milliseconds kLook(20);
    std::chrono::milliseconds most(-1);
    if (phase_ != Phase::running) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now());
      most = std::clamp(left, std::chrono::milliseconds(0), kLook);
    }
    std::array<struct pollfd, 2> ready = {
        {{signals_.get(), POLLIN, 0}, {control_open_ ? setup_.control : -1, POLLIN, 0}}};
    ::poll(ready.data(), ready.size(), static_cast<int>(most.count()));
    if (ready[0].revents != 0) take_signals();
    if (ready[1].revents != 0) take_command();
    if (phase_ == Phase::killed) kill_all();
  }

  void take_signals() {
    struct signalfd_siginfo info {};
    while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      if (info.ssi_signo == SIGCHLD || phase_ >= Phase::asked) continue;
      KeeperMessage message;
      message.kind = KeeperMessage::Kind::disturbed;
      tell(message);
      enter(Phase::asked);
    }
  }

  void take_command() {
    char command = 0;
    const auto got = ::recv(setup_.control, &command, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) control_open_ = false;
    if (got == 1 && command == static_cast<char>(KeeperCommand::finish)) {
      if (phase_ < Phase::leaving) enter(Phase::leaving);
    } else if (phase_ < Phase::asked) {
      enter(Phase::asked);
    }
  }

  void reap() {
    for (;;) {
      int status = 0;
      const auto pid = ::waitpid(-1, &status, WNOHANG);
      if (pid < 0 && errno == EINTR) continue;
      if (pid <= 0) {
        has_children_ = pid == 0;
        return;
      }
      const auto rank = std::find(ranks_.begin(), ranks_.end(), pid);
      if (rank == ranks_.end()) continue;
      KeeperMessage message;
      message.kind = KeeperMessage::Kind::ended;
      message.rank = static_cast<std::int32_t>(rank - ranks_.begin());
      message.pid = pid;
      message.status = status;
      *rank = 0;
      tell(message);
    }
  }

  void enter(Phase phase) {
    phase_ = phase;
    switch (phase) {
      case Phase::running:
      case Phase::given_up: return;
      case Phase::leaving: until_ = Clock::now() + kLeaveTime; return;
      case Phase::asked:
        until_ = Clock::now() + kTermTime;
        signal_all(living(), SIGTERM);
        return;
      case Phase::killed:
        until_ = Clock::now() + kKillTime;
        kill_all();
        return;
    }
  }

  void next_phase() { enter(static_cast<Phase>(static_cast<unsigned>(phase_) + 1)); }

  void kill_all() {
    if (setup_.cgroup != nullptr) [[maybe_unused]]
      const bool all = setup_.cgroup->kill_all();
    signal_all(living(), SIGKILL);
  }

  /// Groups of ranks that have not been waited for: their numbers are nobody else's.
  [[nodiscard]] std::vector<std::int32_t> living() const {
    std::vector<std::int32_t> groups;
    std::copy_if(ranks_.begin(), ranks_.end(), std::back_inserter(groups), [](pid_t pid) { return pid > 0; });
    return groups;
  }

  void report_stuck() const {
    if (!has_children_) return;
    for (const auto pid : descendants(all_processes(), ::getpid())) {
      const auto rank = std::find(ranks_.begin(), ranks_.end(), pid);
      KeeperMessage message;
      message.kind = KeeperMessage::Kind::stuck;
      message.rank = rank == ranks_.end() ? -1 : static_cast<std::int32_t>(rank - ranks_.begin());
      message.pid = pid;
      const auto state = process_state(pid);
      if (state) message.state = state->state;
      const auto place = kernel_place(pid);
      std::copy_n(place.begin(), std::min(place.size(), message.wchan.size() - 1), message.wchan.begin());
      tell(message);
    }
  }

  void remove_group() const {
    constexpr int kTries = 20;
    constexpr std::chrono::milliseconds kNap(5);
    for (int tries = 0; tries < kTries && !setup_.cgroup->remove(); ++tries) std::this_thread::sleep_for(kNap);
  }

  const KeeperSetup& setup_;
  std::vector<pid_t> ranks_;  ///< 0: none, or waited for
  Descriptor signals_;
  Phase phase_ = Phase::running;
  Clock::time_point until_;
  bool control_open_ = true;
  bool has_children_ = true;
};

/// Leaves what the keeper was given and nothing else open, all above the numbers that a rank's own will have.
KeeperSetup with_own_descriptors(const KeeperSetup& given) {
  constexpr int kFirst = 16;
  auto own = given;
  std::vector<int*> kept = {&own.control, &own.board};
  for (auto& fd : own.channels) kept.push_back(&fd);
  for (auto& fd : own.outputs) kept.push_back(&fd);
  std::vector<int> cgroup;
  if (own.cgroup != nullptr) cgroup = {own.cgroup->parent_fd(), own.cgroup->members_fd(), own.cgroup->killer_fd()};
  for (int* const fd : kept) {
    if (*fd < kFirst) *fd = moved_above(*fd, kFirst);
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  std::vector<int> open = cgroup;
  for (const int* const fd : kept) open.push_back(*fd);
  std::sort(open.begin(), open.end());
  int next = STDERR_FILENO + 1;
  for (const int fd : open) {
    for (; next < fd; ++next) ::close(next);
    next = std::max(next, fd + 1);
  }
  close_from(static_cast<unsigned>(next));
  return own;
}

[[noreturn]] void become_keeper(const KeeperSetup& setup, pid_t parent) {
  ::setsid();
  ::prctl(PR_SET_NAME, "gpucoop-keeper");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) {
    if (setup.cgroup != nullptr) static_cast<void>(setup.cgroup->remove());
    leave(0);
  }
  const auto own = with_own_descriptors(setup);
  Keeper keeper(own);
  keeper.run();
  leave(0);
}

}  // namespace

pid_t fork_keeper(const KeeperSetup& setup) {
  const pid_t parent = ::getpid();
  // From here until the keeper has its own way with signals, the parent's handlers must not run in it.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t keeper = ::fork();
  if (keeper == 0) become_keeper(setup, parent);
  const int error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return keeper;
}

}  // namespace gpucoop::probe
