#include "collective/host/shared_block.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/patience.hpp"

namespace gpucoop::collective::host {
namespace {

/// An operation ends after this time even where nobody asks for it.
constexpr std::chrono::minutes kLimit{10};

constexpr std::uint64_t rounded_up(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

/// Large enough to be quick, and small enough for a way from each rank to each.
std::uint32_t slot_bytes_for(unsigned size) {
  if (size <= 8) return 128U << 10U;
  return size <= 24 ? 32U << 10U : 8U << 10U;
}

runtime::Failure failed(std::string text) { return {ProbeState::failed, "host collectives: " + std::move(text)}; }

Control::Entry& entry_of(const Scratch& scratch, std::uint32_t token) {
  auto& blocks = scratch.control().blocks;
  return blocks[token % blocks.size()];
}

/// Rank 0 makes the block.
runtime::Outcome<std::uint64_t> make_block(Scratch& scratch, std::uint32_t token, const BlockPlan& plan) {
  auto& entry = entry_of(scratch, token);
  std::uint32_t free = 0;
  if (!entry.token.compare_exchange_strong(free, token, std::memory_order_acq_rel)) {
    return failed("there are too many communicators");
  }
  const auto offset = scratch.take(plan.bytes);
  if (!offset) return failed("no shared memory is left for another communicator");
  std::byte* const block = scratch.at(*offset, plan.bytes);
  if (block == nullptr) return failed("no shared memory is left for another communicator");
  std::memset(block, 0, plan.slots_offset);
  auto& head = *static_cast<BlockHead*>(static_cast<void*>(block));
  head.size = plan.size;
  head.token = token;
  entry.offset.store(*offset, std::memory_order_release);
  return *offset;
}

/// The other ranks wait for it.
runtime::Outcome<std::uint64_t> find_block(const Scratch& scratch, std::uint32_t token, runtime::Deadline deadline) {
  auto& entry = entry_of(scratch, token);
  runtime::Patience patience(deadline);
  for (;;) {
    const auto offset = entry.offset.load(std::memory_order_acquire);
    if (offset != 0 && entry.token.load(std::memory_order_acquire) == token) return offset;
    if (!patience.wait()) {
      return runtime::Failure{ProbeState::hung, "host collectives: rank 0 did not come to the communicator"};
    }
  }
}

}  // namespace

BlockPlan::BlockPlan(unsigned ranks)
    : size(ranks),
      slot_bytes(slot_bytes_for(ranks)),
      channels_offset(rounded_up(sizeof(BlockHead))),
      slots_offset(channels_offset + rounded_up(std::uint64_t{ranks} * ranks * sizeof(Channel))),
      bytes(slots_offset + std::uint64_t{ranks} * ranks * kSlots * slot_bytes) {}

Member::Member(std::shared_ptr<Process> process, std::byte* block, std::uint64_t offset, const BlockPlan& plan,
               unsigned rank)
    : process_(std::move(process)), block_(block), offset_(offset), plan_(plan), rank_(rank) {}

runtime::Outcome<std::shared_ptr<Member>> Member::join(std::shared_ptr<Process> process, std::uint32_t token,
                                                       unsigned size, unsigned rank, runtime::Deadline deadline) {
  if (size == 0 || size > wire::kMostRanks || rank >= size) return failed("there is no such rank");
  const BlockPlan plan(size);
  const auto offset =
      rank == 0 ? make_block(process->scratch, token, plan) : find_block(process->scratch, token, deadline);
  if (!offset.ok()) return offset.failure();
  std::byte* const block = process->scratch.at(offset.value(), plan.bytes);
  const auto* const seen = static_cast<const BlockHead*>(static_cast<const void*>(block));
  if (block == nullptr || seen->size != size) return failed("ranks disagree about how many they are");
  const std::shared_ptr<Member> member(new Member(std::move(process), block, offset.value(), plan, rank));
  auto& head = member->head();
  std::uint32_t nobody = 0;
  const std::uint32_t self = member->process_->board_rank + 1;
  if (!head.process[rank].compare_exchange_strong(nobody, self, std::memory_order_acq_rel)) {
    return failed("rank " + std::to_string(rank) + " of the communicator is there already");
  }
  member->come_ = true;
  head.come.fetch_add(1, std::memory_order_acq_rel);
  runtime::Patience patience(deadline);
  while (head.come.load(std::memory_order_acquire) < size) {
    if (patience.wait()) continue;
    std::string missing;
    for (unsigned i = 0; i < size; ++i) {
      if (head.process[i].load(std::memory_order_relaxed) == 0) missing += " " + std::to_string(i);
    }
    return runtime::Failure{ProbeState::hung,
                            "host collectives: these ranks did not come to the communicator:" + missing};
  }
  member->connect();
  return member;
}

void Member::connect() {
  auto* const channels = static_cast<Channel*>(static_cast<void*>(block_ + plan_.channels_offset));
  const auto end = [&](unsigned sender, unsigned receiver, unsigned peer) {
    const std::uint64_t index = std::uint64_t{sender} * plan_.size + receiver;
    End out;
    out.channel = channels + index;
    out.slots = block_ + plan_.slots_offset + index * kSlots * plan_.slot_bytes;
    out.slot_bytes = plan_.slot_bytes;
    out.peer = peer;
    return out;
  };
  for (unsigned peer = 0; peer < plan_.size; ++peer) {
    to_.push_back(end(rank_, peer, peer));
    from_.push_back(end(peer, rank_, peer));
    if (process_->fault == nullptr || peer == rank_) continue;
    const std::uint32_t process = head().process[peer].load(std::memory_order_relaxed) - 1;
    to_.back().mailbox = &process_->scratch.control().mailboxes[process % wire::kMostRanks].held_by;
    to_.back().inside = &head().inside[peer].value;
    to_.back().token = head().token;
  }
}

Member::~Member() {
  auto& shared = head();
  if (!come_) return;
  if (shared.gone.fetch_add(1, std::memory_order_acq_rel) + 1 != plan_.size) return;
  auto& entry = entry_of(process_->scratch, shared.token);
  entry.offset.store(0, std::memory_order_release);
  entry.token.store(0, std::memory_order_release);
  process_->scratch.give_back(offset_, plan_.bytes);
}

void Member::enter(const std::atomic<bool>& stop) {
  if (process_->fault == nullptr) return;
  process_->fault->enter(head().token, stop);
  head().inside[rank_].value.store(1, std::memory_order_release);
}

void Member::leave() {
  if (process_->fault != nullptr) head().inside[rank_].value.store(0, std::memory_order_release);
}

Mover::Limits Member::limits(const std::atomic<bool>& stop) const {
  Mover::Limits out;
  out.stop = &stop;
  out.given_up = &given_up_;
  out.deadline = std::chrono::steady_clock::now() + kLimit;
  out.beats = process_->beats;
  if (process_->fault != nullptr) {
    out.own_mailbox = &process_->scratch.control().mailboxes[process_->board_rank % wire::kMostRanks].held_by;
    out.token = head().token;
  }
  return out;
}

}  // namespace gpucoop::collective::host
