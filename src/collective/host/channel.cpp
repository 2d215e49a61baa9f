#include "collective/host/channel.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "collective/host/arithmetic.hpp"
#include "runtime/patience.hpp"

namespace gpucoop::collective::host {
namespace {

bool has_piece(const End& in) {
  return in.channel->put.load(std::memory_order_acquire) != in.channel->taken.load(std::memory_order_relaxed);
}

bool has_room(const End& out) {
  const auto put = out.channel->put.load(std::memory_order_relaxed);
  return put - out.channel->taken.load(std::memory_order_acquire) < kSlots;
}

/// With the injected fault a process has one mailbox for all communicators: whoever sends into one that its process is
/// not in keeps out all others.
bool may_put(const End& out) {
  if (out.mailbox == nullptr) return true;
  std::uint32_t holder = 0;
  if (out.inside->load(std::memory_order_acquire) != 0) {
    holder = out.mailbox->load(std::memory_order_acquire);
    return holder == 0 || holder == out.token;
  }
  return out.mailbox->compare_exchange_strong(holder, out.token, std::memory_order_acq_rel) || holder == out.token;
}

std::byte* slot(const End& end, std::uint64_t piece) { return end.slots + piece % kSlots * end.slot_bytes; }

/// Whether an earlier transfer still needs an end of a channel that this one needs.
bool is_behind(std::span<const Transfer> transfers, std::size_t index) {
  const auto& transfer = transfers[index];
  return std::any_of(transfers.begin(), transfers.begin() + static_cast<std::ptrdiff_t>(index), [&](const auto& other) {
    return other.done != other.bytes && ((transfer.in != nullptr && transfer.in == other.in) ||
                                         (transfer.out != nullptr && transfer.out == other.out));
  });
}

}  // namespace

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::all_reduce: return "all_reduce";
    case Kind::reduce: return "reduce";
    case Kind::broadcast: return "broadcast";
    case Kind::all_gather: return "all_gather";
    case Kind::reduce_scatter: return "reduce_scatter";
    case Kind::point_to_point: return "send or receive";
  }
  return "something else";
}

Mover::Moved Mover::move(Transfer& transfer) {
  const End* const in = transfer.in;
  const End* const out = transfer.out;
  if ((in != nullptr && !has_piece(*in)) || (out != nullptr && !(has_room(*out) && may_put(*out)))) {
    return Moved::nothing;
  }
  const std::uint32_t most = in != nullptr ? in->slot_bytes : out->slot_bytes;
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, transfer.bytes - transfer.done));
  const std::byte* const own = transfer.from == nullptr ? nullptr : transfer.from + transfer.done;
  const std::byte* source = own;
  std::uint64_t taken = 0;
  if (in != nullptr) {
    taken = in->channel->taken.load(std::memory_order_relaxed);
    const auto& piece = in->channel->pieces[taken % kSlots];
    if (piece.kind != static_cast<std::uint32_t>(kind_) || piece.bytes != bytes) {
      mismatch_ = std::string("rank ") + std::to_string(in->peer) + " sends " + std::to_string(piece.bytes) +
                  " bytes of " + to_string(static_cast<Kind>(piece.kind)) + " where " + std::to_string(bytes) + " of " +
                  to_string(kind_) + " are due";
      return Moved::mismatch;
    }
    source = slot(*in, taken);
  }
  std::uint64_t put = 0;
  std::byte* target = transfer.to == nullptr ? nullptr : transfer.to + transfer.done;
  std::byte* forward = nullptr;
  if (out != nullptr) {
    put = out->channel->put.load(std::memory_order_relaxed);
    forward = slot(*out, put);
  }
  std::byte* const first = target != nullptr ? target : forward;
  if (transfer.reduction.wanted) {
    const auto type = transfer.reduction.type;
    combine(first, own, source, bytes / bytes_of(type), type, transfer.reduction.op);
  } else {
    std::memmove(first, source, bytes);
  }
  if (target != nullptr && forward != nullptr) std::memcpy(forward, target, bytes);
  if (in != nullptr) in->channel->taken.store(taken + 1, std::memory_order_release);
  if (out != nullptr) {
    out->channel->pieces[put % kSlots] = {bytes, static_cast<std::uint32_t>(kind_)};
    out->channel->put.store(put + 1, std::memory_order_release);
  }
  transfer.done += bytes;
  return Moved::piece;
}

runtime::Outcome<> Mover::run(std::span<Transfer> transfers) {
  runtime::Patience patience(limits_.deadline);
  for (;;) {
    bool moved = false;
    bool left = false;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      auto& transfer = transfers[i];
      if (transfer.done == transfer.bytes) continue;
      left = true;
      if (is_behind(transfers, i)) continue;
      const auto how = move(transfer);
      if (how == Moved::mismatch) return runtime::Failure{ProbeState::failed, "host collectives: " + mismatch_};
      moved = moved || how == Moved::piece;
    }
    if (!left) return runtime::Done{};
    if (limits_.own_mailbox != nullptr) {
      std::uint32_t own = limits_.token;
      limits_.own_mailbox->compare_exchange_strong(own, 0, std::memory_order_acq_rel);
    }
    if (limits_.stop->load(std::memory_order_relaxed)) {
      return runtime::Failure{ProbeState::failed, "host collectives: the stream was closed during the operation"};
    }
    if (limits_.given_up->load(std::memory_order_relaxed)) {
      return runtime::Failure{ProbeState::failed, "host collectives: the communicator was given up"};
    }
    if (moved) {
      if (limits_.beats != nullptr) limits_.beats->fetch_add(1, std::memory_order_relaxed);
      patience = runtime::Patience(limits_.deadline);
    } else if (!patience.wait()) {
      return runtime::Failure{ProbeState::hung, std::string("host collectives: ") + to_string(kind_) +
                                                    " waited for another rank until its limit"};
    }
  }
}

}  // namespace gpucoop::collective::host
