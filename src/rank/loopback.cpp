#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/descriptor.hpp"
#include "rank/steps.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Deadline;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using Clock = std::chrono::steady_clock;

/// Small enough for the buffers of both sockets, so that one thread can have both ends.
constexpr std::size_t kBytes = 4096;
constexpr std::chrono::seconds kLimit{3};

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  [[nodiscard]] sockaddr* raw() { return static_cast<sockaddr*>(static_cast<void*>(&storage)); }
};

Failure failed(const std::string& what) { return {ProbeState::failed, what + ": " + std::strerror(errno)}; }

bool ready(const Descriptor& socket, short events, Deadline deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd polled{socket.get(), events, 0};
  return ::poll(&polled, 1, static_cast<int>(std::max<std::int64_t>(0, left.count()))) == 1;
}

Address loopback_address() {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Address out;
  std::memcpy(&out.storage, &v4, sizeof v4);
  out.length = sizeof v4;
  return out;
}

/// What the resolver says about a name. It may ask servers that do not answer, and cannot be told how long: it gets a
/// thread of its own, which is left alone when it takes too long.
Outcome<Address> resolve(const std::string& name) {
  struct Answer {
    std::mutex mutex;
    std::condition_variable come;
    bool done = false;
    int code = 0;
    Address address;
  };
  const auto answer = std::make_shared<Answer>();
  std::thread([answer, name] {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
    const std::lock_guard lock(answer->mutex);
    answer->code = code;
    if (code == 0 && found != nullptr && found->ai_addrlen <= sizeof(sockaddr_storage)) {
      std::memcpy(&answer->address.storage, found->ai_addr, found->ai_addrlen);
      answer->address.length = found->ai_addrlen;
    }
    if (found != nullptr) ::freeaddrinfo(found);
    answer->done = true;
    answer->come.notify_all();
  }).detach();
  std::unique_lock lock(answer->mutex);
  if (!answer->come.wait_until(lock, Clock::now() + kLimit, [&] { return answer->done; })) {
    return Failure{ProbeState::hung, "the host's own name, " + name + ", is not resolved within 3 s"};
  }
  if (answer->code != 0 || answer->address.length == 0) {
    return Failure{ProbeState::failed,
                   "the host's own name, " + name + ", does not resolve: " + ::gai_strerror(answer->code)};
  }
  return answer->address;
}

/// A listening socket at a port that the kernel chose, which `address` has then.
Outcome<Descriptor> listen_at(Address& address) {
  Descriptor socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return failed("no socket");
  if (::bind(socket.get(), address.raw(), address.length) != 0) return failed("no port can be had there");
  if (::listen(socket.get(), 64) != 0) return failed("nobody can listen there");
  if (::getsockname(socket.get(), address.raw(), &address.length) != 0) return failed("the port is not told");
  return socket;
}

Outcome<Descriptor> connect_to(Address address, Deadline deadline) {
  Descriptor socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return failed("no socket");
  if (::connect(socket.get(), address.raw(), address.length) == 0) return socket;
  if (errno != EINPROGRESS) return failed("no connection");
  if (!ready(socket, POLLOUT, deadline)) return Failure{ProbeState::hung, "a connection is not made within 3 s"};
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  errno = error;
  if (error != 0) return failed("no connection");
  return socket;
}

using Bytes = std::array<unsigned char, kBytes>;

Outcome<> send_all(const Descriptor& socket, const Bytes& bytes, Deadline deadline) {
  for (std::size_t done = 0; done < bytes.size();) {
    const auto sent = ::send(socket.get(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent > 0) {
      done += static_cast<std::size_t>(sent);
    } else if (errno != EAGAIN && errno != EINTR) {
      return failed("data cannot be sent");
    } else if (!ready(socket, POLLOUT, deadline)) {
      return Failure{ProbeState::hung, "data are not taken within 3 s"};
    }
  }
  return Done{};
}

Outcome<> receive_all(const Descriptor& socket, Bytes& bytes, Deadline deadline) {
  for (std::size_t done = 0; done < bytes.size();) {
    const auto got = ::recv(socket.get(), bytes.data() + done, bytes.size() - done, 0);
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (got == 0) {
      return Failure{ProbeState::failed, "the other side closed the connection"};
    } else if (errno != EAGAIN && errno != EINTR) {
      return failed("data cannot be received");
    } else if (!ready(socket, POLLIN, deadline)) {
      return Failure{ProbeState::hung, "data do not come within 3 s"};
    }
  }
  return Done{};
}

Bytes data_of(StepRun& run) {
  Bytes out{};
  const runtime::Pattern pattern{static_cast<std::uint32_t>(run.step().seed), 1};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(pattern.word(i));
  return out;
}

/// There and back again, over one connection; the peer may be this process.
Outcome<> echo_once(const Descriptor& listening, Deadline deadline) {
  if (!ready(listening, POLLIN, deadline)) return Failure{ProbeState::hung, "a connection does not come within 3 s"};
  const Descriptor peer(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!peer) return failed("a connection is not accepted");
  Bytes bytes{};
  auto outcome = receive_all(peer, bytes, deadline);
  return outcome.ok() ? send_all(peer, bytes, deadline) : outcome;
}

Outcome<> compare_echo(StepRun& run, const Descriptor& socket, Deadline deadline) {
  Bytes back{};
  auto outcome = receive_all(socket, back, deadline);
  if (!outcome.ok()) return outcome;
  run.result().checked_words += kBytes / 4;
  if (back == data_of(run)) return Done{};
  return Failure{ProbeState::wrong_data, "data came back over TCP as something else"};
}

/// The first rank listens, and each of the others connects; a single rank does both.
Outcome<> serve_others(StepRun& run, Address address, unsigned which) {
  const auto& ranks = run.step().ranks;
  const auto deadline = std::min(run.deadline(), Clock::now() + kLimit);
  auto listening = listen_at(address);
  std::string told = "-";
  if (listening.ok()) {
    told.assign(1, '+');
    told.append(static_cast<const char*>(static_cast<const void*>(&address)), sizeof address);
  } else {
    told += listening.failure().text;
  }
  if (ranks.size() > 1) run.session().board().give(board_key("port", run.step().id, which), told);
  if (!listening.ok()) return listening.failure();
  if (ranks.size() == 1) {
    auto socket = connect_to(address, deadline);
    if (!socket.ok()) return socket.failure();
    auto outcome = send_all(socket.value(), data_of(run), deadline);
    if (outcome.ok()) outcome = echo_once(listening.value(), deadline);
    return outcome.ok() ? compare_echo(run, socket.value(), deadline) : outcome;
  }
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    auto outcome = echo_once(listening.value(), deadline);
    if (!outcome.ok()) return outcome;
  }
  return Done{};
}

Outcome<> call_first(StepRun& run, unsigned which) {
  std::string told;
  run.waiting();
  if (!run.session().board().take(board_key("port", run.step().id, which), told, run.deadline())) {
    return Failure{ProbeState::hung, "the first rank does not listen"};
  }
  Address address;
  if (told.size() != 1 + sizeof address || told[0] != '+') {
    return Failure{ProbeState::failed, told.substr(std::min<std::size_t>(1, told.size()))};
  }
  std::memcpy(&address, told.data() + 1, sizeof address);
  const auto deadline = std::min(run.deadline(), Clock::now() + kLimit);
  auto socket = connect_to(address, deadline);
  if (!socket.ok()) return socket.failure();
  auto outcome = send_all(socket.value(), data_of(run), deadline);
  return outcome.ok() ? compare_echo(run, socket.value(), deadline) : outcome;
}

Outcome<Address> own_address() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return failed("the host does not say its name");
  return resolve(name.data());
}

}  // namespace

Outcome<> host_loopback(StepRun& run) {
  const bool first = run.session().rank() == run.step().ranks.front();
  auto outcome = run.begin("loopback", {0, 0, 0});
  if (outcome.ok()) outcome = first ? serve_others(run, loopback_address(), 0) : call_first(run, 0);
  if (!outcome.ok()) return Failure{outcome.failure().state, "over the loopback interface: " + outcome.failure().text};
  outcome = run.begin("own name", {0, 1, 0});
  if (!outcome.ok()) return outcome;
  if (!first) {
    outcome = call_first(run, 1);
  } else {
    auto address = own_address();
    if (address.ok()) {
      outcome = serve_others(run, address.value(), 1);
    } else {
      run.session().board().give(board_key("port", run.step().id, 1), "-" + address.failure().text);
      return address.failure();
    }
  }
  if (outcome.ok()) return outcome;
  return Failure{outcome.failure().state, "over the host's own name: " + outcome.failure().text};
}

}  // namespace gpucoop::rank
