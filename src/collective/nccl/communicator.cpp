#include "collective/nccl/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace gpucoop::collective::nccl {

using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds kEndLimit{3};

/// Where an operand begins, after a look whether `elements` of it fit. No buffer: there is no operand.
Outcome<void*> operand(const char* function, const Place& place, std::uint64_t elements, DataType type) {
  if (place.buffer == nullptr) return static_cast<void*>(nullptr);
  const std::uint64_t room =
      place.offset <= place.buffer->bytes() ? (place.buffer->bytes() - place.offset) / bytes_of(type) : 0;
  if (elements > room)
    return Failure{ProbeState::failed,
                   fmt::format("{}: {} elements of {} where {} fit", function, elements, to_string(type), room)};
  return static_cast<void*>(static_cast<std::byte*>(place.buffer->pointer()) + place.offset);
}

}  // namespace

Outcome<std::unique_ptr<Communicator>> NcclCommunicator::join(std::shared_ptr<Session> session, runtime::Device& device,
                                                              const std::string& id, unsigned size, unsigned rank,
                                                              bool blocking, runtime::Deadline deadline) {
  UniqueId unique{};
  if (id.size() != sizeof unique.bytes)
    return Failure{ProbeState::failed, fmt::format("an id of {} bytes is none of NCCL's", id.size())};
  std::memcpy(unique.bytes, id.data(), sizeof unique.bytes);
  if (auto current = device.make_current(); !current) return current.failure();
  std::unique_ptr<NcclCommunicator> c(new NcclCommunicator(std::move(session), device, size, rank));
  Session& s = *c->session_;
  s.log->begin(c->number_);
  Config config;
  config.version = static_cast<unsigned>(s.abi->version);
  config.blocking = blocking ? 1 : 0;
  constexpr const char* function = "ncclCommInitRankConfig";
  const int code = s.abi->init(&c->handle_, static_cast<int>(size), unique, static_cast<int>(rank), &config);
  auto joined = finish(s, function, code, c->handle_, deadline);
  if (joined.ok() && c->handle_ == nullptr)
    return Failure{ProbeState::failed, fmt::format("{}: success, and no communicator", function)};
  if (!joined) {
    c->sound_ = false;
    return joined.failure();
  }
  return std::unique_ptr<Communicator>(std::move(c));
}

NcclCommunicator::~NcclCommunicator() {
  if (handle_ == nullptr) return;
  auto& grouped = session_->grouped;
  grouped.erase(std::remove(grouped.begin(), grouped.end(), handle_), grouped.end());
  if (!sound_) {
    static_cast<void>(give_up(Clock::now() + kEndLimit));
    return;
  }
  // Ranks of a host may have to come together for this, and the others may be gone.
  static_cast<void>(device_.make_current());
  const auto deadline = Clock::now() + kEndLimit;
  static_cast<void>(aside("ncclCommDestroy", deadline, [session = session_, handle = handle_, deadline] {
    const int code = session->abi->finalize(handle);
    if (!finish(*session, "ncclCommFinalize", code, handle, deadline)) return code;
    return session->abi->destroy(handle);
  }));
}

template <class Function>
Outcome<> NcclCommunicator::call(const char* function, Function what) {
  if (handle_ == nullptr)
    return Failure{ProbeState::failed, fmt::format("{}: the communicator was given up", function)};
  if (auto current = device_.make_current(); !current) return current;
  session_->log->begin(number_);
  const int code = what(*session_->abi);
  if (session_->group_depth == 0) {
    auto ended = finish(*session_, function, code, handle_, Clock::now() + session_->call_limit);
    sound_ = sound_ && ended.ok();
    return ended;
  }
  auto& grouped = session_->grouped;
  if (std::find(grouped.begin(), grouped.end(), handle_) == grouped.end()) grouped.push_back(handle_);
  if (code == kSuccess || code == kInProgress) return Done{};
  sound_ = false;
  return session_->abi->failure(function, code, handle_);
}

Outcome<> NcclCommunicator::all_reduce(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                                       runtime::Stream& stream) {
  auto from = operand("ncclAllReduce", send, count, type);
  if (!from) return from.failure();
  auto to = operand("ncclAllReduce", receive, count, type);
  if (!to) return to.failure();
  return call("ncclAllReduce", [&](const Abi& abi) {
    return abi.all_reduce(from.value(), to.value(), count, number_of(type), number_of(op), handle_, stream.handle());
  });
}

Outcome<> NcclCommunicator::reduce(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                                   unsigned root, runtime::Stream& stream) {
  auto from = operand("ncclReduce", send, count, type);
  if (!from) return from.failure();
  // What the others give for the result is not looked at.
  auto to = operand("ncclReduce", receive, rank_ == root ? count : 0, type);
  if (!to) return to.failure();
  return call("ncclReduce", [&](const Abi& abi) {
    return abi.reduce(from.value(), to.value(), count, number_of(type), number_of(op), static_cast<int>(root), handle_,
                      stream.handle());
  });
}

Outcome<> NcclCommunicator::broadcast(Place send, Place receive, std::uint64_t count, DataType type, unsigned root,
                                      runtime::Stream& stream) {
  auto from = operand("ncclBroadcast", send, rank_ == root ? count : 0, type);
  if (!from) return from.failure();
  auto to = operand("ncclBroadcast", receive, count, type);
  if (!to) return to.failure();
  return call("ncclBroadcast", [&](const Abi& abi) {
    return abi.broadcast(from.value(), to.value(), count, number_of(type), static_cast<int>(root), handle_,
                         stream.handle());
  });
}

Outcome<> NcclCommunicator::all_gather(Place send, Place receive, std::uint64_t count, DataType type,
                                       runtime::Stream& stream) {
  auto from = operand("ncclAllGather", send, count, type);
  if (!from) return from.failure();
  auto to = operand("ncclAllGather", receive, count * size_, type);
  if (!to) return to.failure();
  return call("ncclAllGather", [&](const Abi& abi) {
    return abi.all_gather(from.value(), to.value(), count, number_of(type), handle_, stream.handle());
  });
}

Outcome<> NcclCommunicator::reduce_scatter(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                                           runtime::Stream& stream) {
  auto from = operand("ncclReduceScatter", send, count * size_, type);
  if (!from) return from.failure();
  auto to = operand("ncclReduceScatter", receive, count, type);
  if (!to) return to.failure();
  return call("ncclReduceScatter", [&](const Abi& abi) {
    return abi.reduce_scatter(from.value(), to.value(), count, number_of(type), number_of(op), handle_,
                              stream.handle());
  });
}

Outcome<> NcclCommunicator::send(Place send, std::uint64_t count, DataType type, unsigned peer,
                                 runtime::Stream& stream) {
  auto from = operand("ncclSend", send, count, type);
  if (!from) return from.failure();
  return call("ncclSend", [&](const Abi& abi) {
    return abi.send(from.value(), count, number_of(type), static_cast<int>(peer), handle_, stream.handle());
  });
}

Outcome<> NcclCommunicator::receive(Place receive, std::uint64_t count, DataType type, unsigned peer,
                                    runtime::Stream& stream) {
  auto to = operand("ncclRecv", receive, count, type);
  if (!to) return to.failure();
  return call("ncclRecv", [&](const Abi& abi) {
    return abi.receive(to.value(), count, number_of(type), static_cast<int>(peer), handle_, stream.handle());
  });
}

Outcome<> NcclCommunicator::settle(runtime::Stream& stream, runtime::Deadline deadline) {
  if (handle_ == nullptr) return Failure{ProbeState::failed, "the communicator was given up"};
  // In slices: an error of the library means that the stream will never come to its end.
  constexpr std::chrono::milliseconds slice{50};
  for (;;) {
    const auto until = std::min(deadline, Clock::now() + slice);
    auto waited = stream.wait(until);
    const bool late = !waited && waited.failure().state == ProbeState::hung;
    if (!waited && !late) {
      sound_ = false;
      return waited;
    }
    int state = kSuccess;
    const int asked = session_->abi->async_error(handle_, &state);
    const int code = asked != kSuccess ? asked : state;
    if (code != kSuccess && code != kInProgress) {
      sound_ = false;
      return session_->abi->failure("ncclCommGetAsyncError", code, handle_);
    }
    if (waited.ok() && code == kSuccess) return Done{};
    if (Clock::now() < deadline) continue;
    sound_ = false;
    if (late) return waited;
    return Failure{ProbeState::hung, "ncclCommGetAsyncError: still in progress at the deadline"};
  }
}

Outcome<> NcclCommunicator::give_up(runtime::Deadline deadline) {
  if (handle_ == nullptr) return Done{};
  if (auto current = device_.make_current(); !current) return current;
  void* handle = std::exchange(handle_, nullptr);
  auto& grouped = session_->grouped;
  grouped.erase(std::remove(grouped.begin(), grouped.end(), handle), grouped.end());
  auto given = aside("ncclCommAbort", deadline, [abi = session_->abi, handle] { return abi->give_up(handle); });
  if (!given) return given.failure();
  if (given.value() != kSuccess) return session_->abi->failure("ncclCommAbort", given.value(), nullptr);
  return Done{};
}

std::vector<std::string> NcclCommunicator::transports() const {
  std::vector<std::string> all(size_);
  const LogReader log = session_->log->read();
  for (const auto& [peer, text] : log.transports(number_, rank_))
    if (peer < size_ && peer != rank_) all[peer] = text;
  if (!log.has_multicast(number_)) return all;
  for (unsigned peer = 0; peer < size_; ++peer)
    if (peer != rank_) all[peer] += all[peer].empty() ? "NVLS" : ",NVLS";
  return all;
}

}  // namespace gpucoop::collective::nccl
