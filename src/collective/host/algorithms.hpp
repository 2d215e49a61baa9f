#pragma once

#include "collective/host/shared_block.hpp"

namespace gpucoop::collective::host {

/// The operands of a collective, as addresses of this process.
struct Operands {
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::uint64_t count = 0;
  DataType type = DataType::uint8;
  ReduceOp op = ReduceOp::sum;
  unsigned root = 0;
};

// Each moves data once around the ring of ranks, cut into pieces, so that all ways are busy at once; an all-reduce of
// little data goes from each to each instead, which takes one step. In place where the operands say so.

runtime::Outcome<> all_reduce(const Member& member, Mover& mover, const Operands& what);
runtime::Outcome<> reduce(const Member& member, Mover& mover, const Operands& what);
runtime::Outcome<> broadcast(const Member& member, Mover& mover, const Operands& what);
runtime::Outcome<> all_gather(const Member& member, Mover& mover, const Operands& what);
runtime::Outcome<> reduce_scatter(const Member& member, Mover& mover, const Operands& what);

}  // namespace gpucoop::collective::host
