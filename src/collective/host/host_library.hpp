#pragma once

#include <memory>

#include "base/error.hpp"
#include "collective/collective.hpp"
#include "wire/board.hpp"

namespace gpucoop::collective::host {

struct Options {
  bool global_state = false;  ///< the injected fault of that name (collective/host/fault.hpp)
};

/// A collective library over the memory that the processes of a board share: what runs where there is no GPU, and the
/// floor of what goes through host memory. `rank`: whose process this is. Takes streams of the host backend only. Must
/// not outlive the board.
[[nodiscard]] Result<std::unique_ptr<Library>> make_library(wire::Board& board, unsigned rank, const Options& options);

}  // namespace gpucoop::collective::host
