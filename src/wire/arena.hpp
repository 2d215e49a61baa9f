#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace gpucoop::wire {

/// How the arena behind a board is divided: shared state and scratch of the host backend's collective library, then
/// the memory of each device. Every process allocates in a part of a device's memory that is its own, so that no two
/// processes have to agree: the owner in `own_bytes`, each other rank that opens the device in `guest_bytes`.
struct ArenaLayout {
  std::uint64_t control_bytes = 0;   ///< at offset 0
  std::uint64_t scratch_offset = 0;  ///< of communicators
  std::uint64_t scratch_bytes = 0;
  std::uint64_t devices_offset = 0;
  std::uint64_t own_bytes = 0;
  std::uint64_t guest_bytes = 0;
  unsigned ranks = 0;

  /// Where `rank` allocates in the memory of device `device`.
  [[nodiscard]] std::uint64_t part_offset(unsigned device, unsigned rank) const;
  [[nodiscard]] std::uint64_t part_bytes(unsigned device, unsigned rank) const {
    return device == rank ? own_bytes : guest_bytes;
  }
};

/// Bytes of an arena in which `ranks` ranks can do every step with operands of at most `largest` bytes. Address space:
/// only what is touched takes memory.
[[nodiscard]] std::uint64_t arena_bytes_for(unsigned ranks, std::uint64_t largest);

/// The layout of an arena. `internal` where it is too small for any memory.
[[nodiscard]] Result<ArenaLayout> arena_layout(std::uint64_t arena_bytes, unsigned ranks);

}  // namespace gpucoop::wire
