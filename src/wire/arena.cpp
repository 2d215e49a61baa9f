#include "wire/arena.hpp"

#include "wire/board.hpp"

namespace gpucoop::wire {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::uint64_t kControl = kMiB;
constexpr std::uint64_t kLeastPart = kMiB;

/// A communicator of all ranks needs a way from each to each; so do those of pairs and parts, which are smaller.
std::uint64_t scratch_bytes(unsigned ranks) { return 256 * kMiB + ranks * 64 * kMiB; }

}  // namespace

std::uint64_t ArenaLayout::part_offset(unsigned device, unsigned rank) const {
  const std::uint64_t of_device = devices_offset + device * (own_bytes + (ranks - 1) * guest_bytes);
  if (device == rank) return of_device;
  return of_device + own_bytes + (rank < device ? rank : rank - 1) * guest_bytes;
}

std::uint64_t arena_bytes_for(unsigned ranks, std::uint64_t largest) {
  // A guest gets a third of what an owner gets.
  const std::uint64_t guest = 8 * (largest + kMiB);
  return kControl + scratch_bytes(ranks) + ranks * (3 * guest + (ranks - 1) * guest);
}

Result<ArenaLayout> arena_layout(std::uint64_t arena_bytes, unsigned ranks) {
  ArenaLayout layout;
  layout.ranks = ranks;
  layout.control_bytes = kControl;
  layout.scratch_offset = kControl;
  layout.scratch_bytes = scratch_bytes(ranks);
  layout.devices_offset = layout.scratch_offset + layout.scratch_bytes;
  if (ranks == 0 || ranks > kMostRanks || arena_bytes < layout.devices_offset) {
    return Error{ExitCode::internal, "the memory that ranks share has no room for devices", "", ""};
  }
  const std::uint64_t each = (arena_bytes - layout.devices_offset) / ranks;
  layout.guest_bytes = each / (ranks + 2) / kLeastPart * kLeastPart;
  layout.own_bytes = 3 * layout.guest_bytes;
  if (layout.guest_bytes == 0) {
    return Error{ExitCode::internal, "the memory that ranks share has no room for devices", "", ""};
  }
  return layout;
}

}  // namespace gpucoop::wire
