#pragma once

#include <memory>

#include "base/error.hpp"
#include "runtime/runtime.hpp"
#include "wire/board.hpp"

namespace gpucoop::runtime::host {

/// Devices `host:0`, `host:1`, … one for each rank of the board: their memory is the board's arena, which all ranks
/// share, and their kernels are functions on threads. It stands for GPUs where there are none, and says nothing about
/// any. `rank`: whose process this is. Must not outlive the board.
[[nodiscard]] Result<std::unique_ptr<Runtime>> make_runtime(wire::Board& board, unsigned rank);

}  // namespace gpucoop::runtime::host
