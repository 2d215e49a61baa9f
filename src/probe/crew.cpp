#include "probe/crew.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "probe/left_behind.hpp"
#include "probe/process_ending.hpp"
#include "probe/process_state.hpp"

namespace gpucoop::probe {
namespace {

using std::chrono::milliseconds;

Error failed(const char* what) {
  return {ExitCode::internal, std::string(what) + ": " + std::strerror(errno), "",
          "look at the limits of processes and open files"};
}

struct Ends {
  Descriptor ours;
  Descriptor theirs;
};

Result<Ends> socket_pair(int type) {
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds.data()) != 0) return failed("no socket for ranks can be made");
  return Ends{Descriptor(fds[0]), Descriptor(fds[1])};
}

Result<Ends> output_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return failed("no pipe for ranks can be made");
  return Ends{Descriptor(fds[0]), Descriptor(fds[1])};
}

std::vector<std::string> arguments_of(const TeamSetup& setup, unsigned rank) {
  std::vector<std::string> arguments = {setup.executable, "--rank",   std::to_string(rank), "--backend",
                                        setup.backend,    "--device", setup.devices[rank]};
  arguments.insert(arguments.end(), setup.arguments.begin(), setup.arguments.end());
  return arguments;
}

std::vector<ProcessState> own_children() {
  auto all = all_processes();
  const auto self = ::getpid();
  all.erase(std::remove_if(all.begin(), all.end(), [&](const ProcessState& p) { return p.parent != self; }), all.end());
  return all;
}

bool contains(const std::vector<std::int32_t>& list, std::int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

Result<std::unique_ptr<Crew>> Crew::start(const TeamSetup& setup, int board) {
  std::unique_ptr<Crew> crew(new Crew);
  KeeperSetup orders;
  orders.executable = setup.executable;
  orders.privilege = setup.privilege ? *setup.privilege : current_privilege();
  auto set = setup.environment;
  set.emplace_back(kRunMark, run_mark());
  orders.environment = rank_environment(current_environment(), orders.privilege, setup.unset, set).variables;
  orders.board = board;
  std::vector<Descriptor> theirs;
  for (unsigned rank = 0; rank < setup.devices.size(); ++rank) {
    auto channel = socket_pair(SOCK_STREAM);
    if (!channel) return channel.error();
    auto output = output_pipe();
    if (!output) return output.error();
    orders.arguments.push_back(arguments_of(setup, rank));
    orders.channels.push_back(channel.value().theirs.get());
    orders.outputs.push_back(output.value().theirs.get());
    crew->ranks_.push_back(
        {RankLink(rank, std::move(channel.value().ours), std::move(output.value().ours)), 0, {}, false, {}, {}});
    theirs.push_back(std::move(channel.value().theirs));
    theirs.push_back(std::move(output.value().theirs));
  }
  auto control = socket_pair(SOCK_SEQPACKET);
  if (!control) return control.error();
  orders.control = control.value().theirs.get();
  crew->control_ = std::move(control.value().ours);
  crew->cgroup_ = Cgroup::make();
  orders.cgroup = crew->cgroup_.get();
  ::prctl(PR_GET_CHILD_SUBREAPER, &crew->subreaper_before_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const auto& child : own_children()) crew->children_before_.push_back(child.pid);
  crew->keeper_ = fork_keeper(orders);
  if (crew->keeper_ < 0) return failed("no process for ranks can be started");
  return crew;
}

Crew::~Crew() {
  end(true);
  ::prctl(PR_SET_CHILD_SUBREAPER, subreaper_before_);
}

void Crew::turn(Clock::time_point until) {
  std::vector<struct pollfd> ready;
  ready.reserve(2 * ranks_.size() + 1);
  for (const auto& rank : ranks_) {
    const auto events = static_cast<short>(rank.link.has_to_send() ? POLLIN | POLLOUT : POLLIN);
    ready.push_back({rank.link.channel(), events, 0});
    ready.push_back({rank.link.output(), POLLIN, 0});
  }
  ready.push_back({control_.get(), POLLIN, 0});
  const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
  if (::poll(ready.data(), ready.size(), static_cast<int>(std::max(left, milliseconds(0)).count())) <= 0) return;
  // The keeper's word that a rank has ended comes after all that the rank said: it is taken in first.
  if (ready.back().revents != 0) take_messages();
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    auto& link = ranks_[i].link;
    if ((ready[2 * i].revents & POLLOUT) != 0) link.send();
    if ((ready[2 * i].revents & ~POLLOUT) != 0 || ranks_[i].gone()) link.receive();
    if (ready[2 * i + 1].revents != 0) link.drain();
  }
}

void Crew::take_messages() {
  for (;;) {
    KeeperMessage message;
    const auto got = ::recv(control_.get(), &message, sizeof message, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got != static_cast<ssize_t>(sizeof message)) {
      control_.close();
      keeper_lost_ = keeper_lost_ || !finished_;
      return;
    }
    take(message);
  }
}

void Crew::take(const KeeperMessage& message) {
  using Kind = KeeperMessage::Kind;
  if (message.kind == Kind::finished) finished_ = true;
  if (message.kind == Kind::disturbed) keeper_lost_ = true;
  if (message.rank < 0 || static_cast<std::size_t>(message.rank) >= ranks_.size()) return;
  auto& rank = ranks_[static_cast<std::size_t>(message.rank)];
  switch (message.kind) {
    case Kind::started: rank.pid = message.pid; return;
    case Kind::not_started: rank.no_start = message.status; return;
    case Kind::ended:
      rank.status = message.status;
      rank.ended_by_us = ending_;
      return;
    case Kind::stuck: rank.stuck = message; return;
    case Kind::disturbed:
    case Kind::finished: return;
  }
}

void Crew::end(bool politely) {
  if (ended_ || keeper_ < 0) return;
  ended_ = true;
  // What has ended until now did so by itself.
  if (control_) take_messages();
  ending_ = !politely;
  constexpr milliseconds kSlack(500);
  const auto until = Clock::now() + kTermTime + kKillTime + kSlack + (politely ? kLeaveTime : milliseconds(0));
  if (control_) {
    const auto command = static_cast<char>(politely ? KeeperCommand::finish : KeeperCommand::end);
    if (politely) {
      for (auto& rank : ranks_) rank.link.hang_up();
    }
    [[maybe_unused]] const auto sent = ::send(control_.get(), &command, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    const auto patience = Clock::now() + kLeaveTime;
    while (!finished_ && control_ && Clock::now() < until) {
      if (Clock::now() >= patience) ending_ = true;
      turn(std::min(until, Clock::now() + milliseconds(50)));
    }
  }
  end_keeper();
  for (auto& rank : ranks_) rank.link.drain_rest();
}

void Crew::end_keeper() {
  if (finished_) {
    constexpr int kTries = 200;
    for (int tries = 0; tries < kTries; ++tries) {
      const auto ended = ::waitpid(keeper_, nullptr, WNOHANG);
      if (ended == keeper_ || (ended < 0 && errno == ECHILD)) return;
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  // It was killed, or stopped, or does not come to its end: ranks die with it, and what they started becomes ours once
  // it is gone.
  keeper_lost_ = true;
  ending_ = true;
  constexpr milliseconds kMost(700);
  const auto until = Clock::now() + kMost;
  bool gone = false;
  bool clean = false;
  std::vector<std::int32_t> left;
  for (;;) {
    if (!gone) {
      kill_process(keeper_);
      const auto ended = ::waitpid(keeper_, nullptr, WNOHANG);
      // ECHILD: whoever started this process has it ignore its children's ends.
      gone = ended == keeper_ || (ended < 0 && errno == ECHILD);
    }
    if (cgroup_) [[maybe_unused]]
      const bool all = cgroup_->kill_all();
    left = kill_orphans();
    clean = gone && left.empty() && (!cgroup_ || cgroup_->remove());
    if (clean || Clock::now() >= until) break;
    std::this_thread::sleep_for(milliseconds(2));
  }
  for (auto& rank : ranks_) {
    if (rank.status || rank.pid == 0 || !contains(left, rank.pid)) continue;
    KeeperMessage message;
    message.pid = rank.pid;
    if (const auto state = process_state(rank.pid)) message.state = state->state;
    rank.stuck = message;
  }
}

std::vector<std::int32_t> Crew::kill_orphans() {
  std::vector<std::int32_t> left;
  for (const auto& child : own_children()) {
    const auto pid = child.pid;
    // What this process has started itself is in its own session; what a keeper's ranks have left is in another one.
    if (pid == keeper_ || child.session == ::getsid(0) || contains(children_before_, pid)) continue;
    left.push_back(pid);
    kill_process(pid);
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) != pid) continue;
    left.pop_back();
    for (auto& rank : ranks_) {
      if (rank.pid != pid) continue;
      rank.status = status;
      rank.ended_by_us = true;
    }
  }
  return left;
}

RankEnd Crew::describe(unsigned rank) const {
  const auto& from = ranks_[rank];
  RankEnd end;
  end.rank = rank;
  end.pid = from.pid;
  end.garbage = from.link.garbage();
  end.output = from.link.tail().text();
  end.output_bytes = from.link.tail().total();
  using How = RankEnd::How;
  if (from.no_start) {
    end.how = How::missing;
    end.code = *from.no_start;
  } else if (from.status) {
    const bool signalled = WIFSIGNALED(*from.status);
    end.code = signalled ? WTERMSIG(*from.status) : WEXITSTATUS(*from.status);
    end.how = from.ended_by_us ? How::killed : signalled ? How::signalled : How::exited;
  } else if (from.stuck) {
    end.how = How::unkillable;
    end.state = from.stuck->state;
    end.wchan = from.stuck->wchan.data();
  } else if (ended_) {
    end.how = How::killed;  // with its keeper
  }
  return end;
}

}  // namespace gpucoop::probe
