#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "collective/collective.hpp"
#include "collective/nccl/hygiene.hpp"

namespace gpucoop::collective::nccl {

struct Options {
  std::string path;       ///< of the library; empty: libnccl.so.2 or librccl.so.1, as the loader finds it
  bool blocking = false;  ///< communicators whose calls wait for the other ranks without a limit, and start no thread
  /// Longest that one call may take that has no deadline of its own.
  std::chrono::milliseconds call_limit{30000};
};

/// A library with what was done for it.
struct Loaded {
  std::unique_ptr<Library> library;
  std::vector<Change> changes;  ///< of the environment
};

/// NCCL or RCCL: one interface. To be called while this process has a single thread, since it changes the environment.
/// `skipped` where there is none, `refused` where it is too old.
[[nodiscard]] runtime::Outcome<Loaded> load(const Options& options);

}  // namespace gpucoop::collective::nccl
