#include "collective/host/host_library.hpp"

#include <charconv>
#include <utility>

#include "base/version.hpp"
#include "collective/host/algorithms.hpp"
#include "collective/host/queue.hpp"
#include "runtime/host/stream.hpp"

namespace gpucoop::collective::host {
namespace {

using runtime::Deadline;
using runtime::Done;
using runtime::Failure;
using runtime::Outcome;
using runtime::Stream;

constexpr std::string_view kIdPrefix = "host communicator ";

Failure failed(std::string text) { return {ProbeState::failed, "host collectives: " + std::move(text)}; }

class HostCommunicator final : public Communicator {
 public:
  HostCommunicator(std::shared_ptr<Member> member, std::shared_ptr<Queue> queue)
      : member_(std::move(member)), queue_(std::move(queue)) {}

  [[nodiscard]] unsigned size() const override { return member_->size(); }
  [[nodiscard]] unsigned rank() const override { return member_->rank(); }

  Outcome<> all_reduce(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                       Stream& stream) override {
    return put(Kind::all_reduce, host::all_reduce, {send, count}, {receive, count}, {count, type, op, 0}, stream);
  }
  Outcome<> reduce(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op, unsigned root,
                   Stream& stream) override {
    const std::uint64_t wanted = root == rank() ? count : 0;
    return put(Kind::reduce, host::reduce, {send, count}, {receive, wanted}, {count, type, op, root}, stream);
  }
  Outcome<> broadcast(Place send, Place receive, std::uint64_t count, DataType type, unsigned root,
                      Stream& stream) override {
    const std::uint64_t given = root == rank() ? count : 0;
    return put(Kind::broadcast, host::broadcast, {send, given}, {receive, count}, {count, type, ReduceOp::sum, root},
               stream);
  }
  Outcome<> all_gather(Place send, Place receive, std::uint64_t count, DataType type, Stream& stream) override {
    return put(Kind::all_gather, host::all_gather, {send, count}, {receive, count * size()},
               {count, type, ReduceOp::sum, 0}, stream);
  }
  Outcome<> reduce_scatter(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                           Stream& stream) override {
    return put(Kind::reduce_scatter, host::reduce_scatter, {send, count * size()}, {receive, count},
               {count, type, op, 0}, stream);
  }
  Outcome<> send(Place send, std::uint64_t count, DataType type, unsigned peer, Stream& stream) override {
    auto* const own = runtime::host::host_stream(stream);
    if (own == nullptr) return failed("the stream is another backend's");
    if (peer >= size()) return failed("there is no rank " + std::to_string(peer));
    if (!inside({send, count}, type)) return failed("an operand lies outside of its buffer");
    queue_->put(*own, member_,
                Transfer{nullptr, &member_->to(peer), address(send), nullptr, count * bytes_of(type), {}});
    return Done{};
  }
  Outcome<> receive(Place receive, std::uint64_t count, DataType type, unsigned peer, Stream& stream) override {
    auto* const own = runtime::host::host_stream(stream);
    if (own == nullptr) return failed("the stream is another backend's");
    if (peer >= size()) return failed("there is no rank " + std::to_string(peer));
    if (!inside({receive, count}, type)) return failed("an operand lies outside of its buffer");
    queue_->put(*own, member_,
                Transfer{&member_->from(peer), nullptr, nullptr, address(receive), count * bytes_of(type), {}});
    return Done{};
  }

  Outcome<> settle(Stream& stream, Deadline deadline) override { return stream.wait(deadline); }
  Outcome<> give_up(Deadline /*deadline*/) override {
    member_->give_up();
    return Done{};
  }
  [[nodiscard]] std::vector<std::string> transports() const override {
    std::vector<std::string> out(size(), "SHM/host");
    out[rank()].clear();
    return out;
  }

 private:
  struct Extent {
    Place place;
    std::uint64_t count;
  };
  struct Shape {
    std::uint64_t count;
    DataType type;
    ReduceOp op;
    unsigned root;
  };
  using Algorithm = Outcome<> (*)(const Member&, Mover&, const Operands&);

  static std::byte* address(Place place) {
    if (place.buffer == nullptr) return nullptr;
    return static_cast<std::byte*>(place.buffer->pointer()) + place.offset;
  }
  static bool inside(const Extent& extent, DataType type) {
    if (extent.count == 0) return true;
    const auto* const buffer = extent.place.buffer;
    return buffer != nullptr && extent.place.offset <= buffer->bytes() &&
           extent.count <= (buffer->bytes() - extent.place.offset) / bytes_of(type);
  }

  Outcome<> put(Kind kind, Algorithm algorithm, const Extent& send, const Extent& receive, const Shape& shape,
                Stream& stream) {
    auto* const own = runtime::host::host_stream(stream);
    if (own == nullptr) return failed("the stream is another backend's");
    if (shape.root >= size()) return failed("there is no rank " + std::to_string(shape.root));
    if (!inside(send, shape.type) || !inside(receive, shape.type)) {
      return failed("an operand lies outside of its buffer");
    }
    const Operands what{address(send.place), address(receive.place), shape.count, shape.type, shape.op, shape.root};
    // The task keeps the member alive.
    const Member* const member = member_.get();
    queue_->put(*own, member_, kind,
                [member, algorithm, what](Mover& mover) { return algorithm(*member, mover, what); });
    return Done{};
  }

  std::shared_ptr<Member> member_;
  std::shared_ptr<Queue> queue_;
};

class HostLibrary final : public Library {
 public:
  explicit HostLibrary(std::shared_ptr<Member::Process> process) : process_(std::move(process)) {}

  [[nodiscard]] LibraryInfo info() const override { return {"host", kVersion, ""}; }

  Outcome<std::string> make_id() override {
    const auto token = process_->scratch.control().next_token.fetch_add(1, std::memory_order_relaxed) + 1;
    return std::string(kIdPrefix) + std::to_string(token);
  }

  Outcome<std::unique_ptr<Communicator>> join(runtime::Device& /*device*/, const std::string& id, unsigned size,
                                              unsigned rank, Deadline deadline) override {
    std::uint32_t token = 0;
    const auto* const begin = id.data() + std::min(kIdPrefix.size(), id.size());
    const auto* const end = id.data() + id.size();
    const auto read = std::from_chars(begin, end, token);
    if (id.compare(0, kIdPrefix.size(), kIdPrefix) != 0 || read.ec != std::errc() || read.ptr != end || token == 0) {
      return failed("these bytes are no id of a communicator");
    }
    auto member = Member::join(process_, token, size, rank, deadline);
    if (!member.ok()) return member.failure();
    return std::unique_ptr<Communicator>(std::make_unique<HostCommunicator>(std::move(member).value(), queue_));
  }

  Outcome<> group_start() override {
    queue_->start();
    return Done{};
  }
  Outcome<> group_end(Deadline /*deadline*/) override {
    if (!queue_->end()) return failed("a group ends that was not started");
    return Done{};
  }

 private:
  std::shared_ptr<Member::Process> process_;
  std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
};

}  // namespace

Result<std::unique_ptr<Library>> make_library(wire::Board& board, unsigned rank, const Options& options) {
  auto layout = wire::arena_layout(board.arena_bytes(), board.ranks());
  if (!layout.ok()) return layout.error();
  static_assert(sizeof(Control) <= (1U << 20U), "it lies in the first part of the arena");
  auto process = std::make_shared<Member::Process>(
      Member::Process{Scratch(board.arena(), layout.value()), rank, {}, &board.progress(rank).beats});
  if (options.global_state) process->fault = std::make_unique<GlobalState>(rank >= board.ranks() / 2);
  return std::unique_ptr<Library>(std::make_unique<HostLibrary>(std::move(process)));
}

}  // namespace gpucoop::collective::host
