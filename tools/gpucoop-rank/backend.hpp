#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "collective/collective.hpp"
#include "runtime/runtime.hpp"
#include "wire/board.hpp"
#include "wire/injection.hpp"

namespace gpucoop {

/// What a rank was started with.
struct RankArguments {
  unsigned rank = 0;
  std::string backend;
  std::string device;
  std::string library;  ///< of collectives, a path; empty: as found
  std::vector<wire::Injection> injections;
};

/// A runtime, and the collective library that goes with it: null with a reason where there is none.
struct Backend {
  std::unique_ptr<runtime::Runtime> runtime;
  std::unique_ptr<collective::Library> library;
  std::string no_library;
  ProbeState no_library_state = ProbeState::skipped;
  std::vector<std::pair<std::string, std::string>> environment;  ///< what was changed in it for the library
};

/// Second tries of the host backend (rules/variants.toml): GPUCOOP_HOST_FAULTS=none leaves all injected faults out,
/// GPUCOOP_HOST_STATE=communicator leaves out `global-state`.
void leave_out_faults(RankArguments& arguments);

/// Loads the backend that is named.
[[nodiscard]] Result<Backend> open_backend(const RankArguments& arguments, wire::Board& board);

}  // namespace gpucoop
