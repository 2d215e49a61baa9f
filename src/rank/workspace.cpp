#include "rank/workspace.hpp"

#include <algorithm>

#include "rank/pattern_bytes.hpp"

namespace gpucoop::rank {
namespace {

using runtime::Buffer;
using runtime::Device;
using runtime::Done;
using runtime::Mismatch;
using runtime::Outcome;
using runtime::Stream;

Outcome<> grow(Device& device, std::unique_ptr<Buffer>& buffer, std::uint64_t bytes, bool on_host) {
  if (buffer != nullptr && buffer->bytes() >= bytes) return Done{};
  buffer.reset();
  auto made = on_host ? device.allocate_host(bytes) : device.allocate(bytes);
  if (!made.ok()) return made.failure();
  buffer = std::move(made).value();
  return Done{};
}

std::uint64_t whole(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Of the receive operand with its guards.
std::uint64_t guarded_bytes(const Job& job) {
  return job.received() * collective::bytes_of(job.type) + 2 * Workspace::kGuard;
}

}  // namespace

Outcome<> Workspace::reserve(Device& device, std::uint64_t send_bytes, std::uint64_t receive_bytes) {
  // Whole words, and never nothing: an empty operand has a place as well.
  const std::uint64_t sent = whole(send_bytes + 1, 8);
  const std::uint64_t guarded = whole(receive_bytes, 8) + 2 * kGuard;
  auto made = grow(device, send_, sent, false);
  if (made.ok()) made = grow(device, receive_, guarded, false);
  if (made.ok()) made = grow(device, image_, std::min(std::max(sent, guarded), kPiece), true);
  return made;
}

Outcome<> Workspace::prepare(Device& device, Stream& stream, const Job& job, bool in_place, const Pace& pace) {
  const std::uint64_t element = collective::bytes_of(job.type);
  auto outcome = device.store(stream, *receive_, {0, whole(guarded_bytes(job), 4)}, poison_of(job));
  Buffer& to = in_place ? *receive_ : *send_;
  const std::uint64_t start = in_place ? kGuard : 0;
  const std::uint64_t most = kPiece / element;
  for (std::uint64_t first = 0; outcome.ok() && first < job.sent(); first += most) {
    const std::uint64_t now = std::min(most, job.sent() - first);
    if (first > 0) outcome = pace.wait(stream);
    if (!outcome.ok()) return outcome;
    fill_sent(job, first, now, image());
    pace.beat();
    outcome = device.copy(stream, to, start + first * element, *image_, {0, now * element});
  }
  return outcome;
}

Outcome<> Workspace::fetch(Device& device, Stream& stream, const Job& job) {
  return device.copy(stream, *image_, 0, *receive_, {0, std::min(guarded_bytes(job), image_->bytes())});
}

Outcome<Mismatch> Workspace::check(Device& device, Stream& stream, const Job& job, const Pace& pace) {
  Mismatch out;
  out.checked = job.received();
  const std::uint64_t all = guarded_bytes(job);
  const std::uint64_t most = image_->bytes() / 8 * 8;
  for (std::uint64_t at = 0; at < all; at += most) {
    const std::uint64_t now = std::min(most, all - at);
    if (at > 0) {
      auto outcome = device.copy(stream, *image_, 0, *receive_, {at, now});
      if (outcome.ok()) outcome = pace.wait(stream);
      if (!outcome.ok()) return outcome.failure();
    }
    check_piece(job, kGuard, at, image(), now, out);
    pace.beat();
  }
  return out;
}

void Workspace::spoil(const Job& job) {
  const std::uint64_t element = collective::bytes_of(job.type);
  constexpr std::uint64_t kEach = 1000;  ///< elements of which one is spoiled
  for (std::uint64_t i = 0; i < job.received(); i += kEach) {
    const std::uint64_t at = kGuard + i * element;
    if (at + element > image_->bytes()) return;
    fill_bytes(poison_of(job), at, element, image() + at);
  }
}

}  // namespace gpucoop::rank
