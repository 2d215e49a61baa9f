#include "collective/host/algorithms.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "collective/host/arithmetic.hpp"

namespace gpucoop::collective::host {
namespace {

using runtime::Done;
using runtime::Outcome;

constexpr std::uint64_t kFlatBytes = 16U << 10U;
constexpr unsigned kFlatRanks = 8;

/// The ring as one rank sees it: pieces of blocks, each of at most one slot.
class Ring {
 public:
  Ring(const Member& member, Mover& mover, const Operands& what)
      : mover_(mover),
        in_(&member.from((member.rank() + member.size() - 1) % member.size())),
        out_(&member.to((member.rank() + 1) % member.size())),
        size_(member.size()),
        rank_(member.rank()),
        element_(bytes_of(what.type)),
        reduction_{true, what.type, what.op} {}

  /// The block that is `back` ranks before this one's.
  [[nodiscard]] unsigned block(unsigned back) const { return (rank_ + size_ - back % size_) % size_; }
  [[nodiscard]] std::uint64_t bytes(std::uint64_t count) const { return count * element_; }

  /// Sends and receives at the same time, in bytes; what comes is combined with `own`, where there is one.
  Outcome<> both(const std::byte* from, std::uint64_t from_bytes, std::byte* to, std::uint64_t to_bytes,
                 const std::byte* own) const {
    std::array<Transfer, 2> transfers = {Transfer{nullptr, out_, from, nullptr, from_bytes, {}},
                                         Transfer{in_, nullptr, own, to, to_bytes, {}}};
    if (own != nullptr) transfers[1].reduction = reduction_;
    return mover_.run(transfers);
  }
  Outcome<> send(const std::byte* from, std::uint64_t count) {
    return mover_.run(Transfer{nullptr, out_, from, nullptr, bytes(count), {}});
  }
  Outcome<> receive(std::byte* to, std::uint64_t count) {
    return mover_.run(Transfer{in_, nullptr, nullptr, to, bytes(count), {}});
  }
  Outcome<> relay(std::byte* to, std::uint64_t count) {
    return mover_.run(Transfer{in_, out_, nullptr, to, bytes(count), {}});
  }
  Outcome<> relay_reduced(const std::byte* own, std::uint64_t count) {
    return mover_.run(Transfer{in_, out_, own, nullptr, bytes(count), reduction_});
  }
  Outcome<> receive_reduced(const std::byte* own, std::byte* to, std::uint64_t count) {
    return mover_.run(Transfer{in_, nullptr, own, to, bytes(count), reduction_});
  }

 private:
  Mover& mover_;
  const End* in_;
  const End* out_;
  unsigned size_;
  unsigned rank_;
  std::uint64_t element_;
  Reduction reduction_;
};

void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  if (to != from && bytes != 0) std::memmove(to, from, bytes);
}

Outcome<> alone(const Operands& what) {
  copy(what.receive, what.send, what.count * bytes_of(what.type));
  return Done{};
}

/// Each rank gets everything of all others and reduces it in the order of the ranks: all get the same.
Outcome<> flat_all_reduce(const Member& member, Mover& mover, const Operands& what) {
  const std::uint64_t bytes = what.count * bytes_of(what.type);
  std::vector<std::byte> all(bytes * member.size());
  std::vector<Transfer> transfers;
  for (unsigned peer = 0; peer < member.size(); ++peer) {
    if (peer == member.rank()) continue;
    transfers.push_back({nullptr, &member.to(peer), what.send, nullptr, bytes, {}});
    transfers.push_back({&member.from(peer), nullptr, nullptr, all.data() + peer * bytes, bytes, {}});
  }
  auto moved = mover.run(transfers);
  if (!moved.ok()) return moved;
  std::memcpy(all.data() + member.rank() * bytes, what.send, bytes);
  for (unsigned peer = 1; peer < member.size(); ++peer) {
    combine(all.data(), all.data(), all.data() + peer * bytes, what.count, what.type, what.op);
  }
  finish(all.data(), what.count, what.type, what.op, member.size());
  std::memcpy(what.receive, all.data(), bytes);
  return Done{};
}

/// The blocks of an all-reduce, one for each rank; the last ones may be smaller, or empty.
class Blocks {
 public:
  Blocks(const Operands& what, unsigned size)
      : count_(what.count), each_((what.count + size - 1) / size), element_(bytes_of(what.type)) {}
  [[nodiscard]] std::uint64_t first(unsigned block) const { return std::min(count_, block * each_) * element_; }
  [[nodiscard]] std::uint64_t bytes(unsigned block) const { return first(block + 1) - first(block); }

 private:
  std::uint64_t count_;
  std::uint64_t each_;
  std::uint64_t element_;
};

}  // namespace

Outcome<> all_reduce(const Member& member, Mover& mover, const Operands& what) {
  const unsigned size = member.size();
  if (size == 1) return alone(what);
  const std::uint64_t element = bytes_of(what.type);
  if (what.count * element <= kFlatBytes && size <= kFlatRanks) return flat_all_reduce(member, mover, what);
  const Ring ring(member, mover, what);
  const Blocks blocks(what, size);
  // Around the ring once to reduce: what a block has gathered so far is kept where its result will be.
  for (unsigned step = 0; step + 1 < size; ++step) {
    const unsigned out = ring.block(step);
    const unsigned in = ring.block(step + 1);
    const std::byte* const from = (step == 0 ? what.send : what.receive) + blocks.first(out);
    auto moved = ring.both(from, blocks.bytes(out), what.receive + blocks.first(in), blocks.bytes(in),
                           what.send + blocks.first(in));
    if (!moved.ok()) return moved;
  }
  const unsigned own = ring.block(size - 1);
  finish(what.receive + blocks.first(own), blocks.bytes(own) / element, what.type, what.op, size);
  // And once more to hand out.
  for (unsigned step = 0; step + 1 < size; ++step) {
    const unsigned out = ring.block(size - 1 + step);
    const unsigned in = ring.block(size + step);
    auto moved = ring.both(what.receive + blocks.first(out), blocks.bytes(out), what.receive + blocks.first(in),
                           blocks.bytes(in), nullptr);
    if (!moved.ok()) return moved;
  }
  return Done{};
}

Outcome<> reduce(const Member& member, Mover& mover, const Operands& what) {
  if (member.size() == 1) return alone(what);
  Ring ring(member, mover, what);
  if (member.rank() == (what.root + 1) % member.size()) return ring.send(what.send, what.count);
  if (member.rank() != what.root) return ring.relay_reduced(what.send, what.count);
  auto moved = ring.receive_reduced(what.send, what.receive, what.count);
  if (moved.ok()) finish(what.receive, what.count, what.type, what.op, member.size());
  return moved;
}

Outcome<> broadcast(const Member& member, Mover& mover, const Operands& what) {
  if (member.size() == 1) return alone(what);
  Ring ring(member, mover, what);
  if (member.rank() == what.root) {
    copy(what.receive, what.send, ring.bytes(what.count));
    return ring.send(what.send, what.count);
  }
  const bool last = (member.rank() + 1) % member.size() == what.root;
  return last ? ring.receive(what.receive, what.count) : ring.relay(what.receive, what.count);
}

Outcome<> all_gather(const Member& member, Mover& mover, const Operands& what) {
  const unsigned size = member.size();
  Ring ring(member, mover, what);
  const std::uint64_t bytes = ring.bytes(what.count);
  copy(what.receive + member.rank() * bytes, what.send, bytes);
  for (unsigned step = 0; step + 1 < size; ++step) {
    auto moved = ring.both(what.receive + ring.block(step) * bytes, bytes, what.receive + ring.block(step + 1) * bytes,
                           bytes, nullptr);
    if (!moved.ok()) return moved;
  }
  return Done{};
}

Outcome<> reduce_scatter(const Member& member, Mover& mover, const Operands& what) {
  const unsigned size = member.size();
  if (size == 1) return alone(what);
  Ring ring(member, mover, what);
  const std::uint64_t bytes = ring.bytes(what.count);
  const std::uint64_t most = member.slot_bytes() / bytes_of(what.type);
  for (std::uint64_t base = 0; base < what.count; base += most) {
    const std::uint64_t count = std::min(most, what.count - base);
    const auto from = [&](unsigned back) { return what.send + ring.block(back) * bytes + ring.bytes(base); };
    auto moved = ring.send(from(1), count);
    for (unsigned back = 2; moved.ok() && back < size; ++back) moved = ring.relay_reduced(from(back), count);
    std::byte* const to = what.receive + ring.bytes(base);
    if (moved.ok()) moved = ring.receive_reduced(from(0), to, count);
    if (!moved.ok()) return moved;
    finish(to, count, what.type, what.op, size);
  }
  return Done{};
}

}  // namespace gpucoop::collective::host
