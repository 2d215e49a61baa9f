#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "collective/collective.hpp"
#include "runtime/runtime.hpp"
#include "wire/board.hpp"
#include "wire/injection.hpp"
#include "wire/step.hpp"

namespace gpucoop::rank {

/// What a rank works with. `library` is null where the backend has none, with the reason in `no_library`:
/// `no_library_state` is `skipped` where there is none, and `refused` where there is one that is of no use (too old).
struct Tools {
  unsigned rank = 0;
  runtime::Runtime& runtime;
  collective::Library* library = nullptr;
  std::string no_library;
  wire::Board& board;
  std::vector<wire::Injection> injections;
  /// What was changed in the environment for the library: a name and what became of it, for people.
  std::vector<std::pair<std::string, std::string>> environment = {};
  ProbeState no_library_state = ProbeState::skipped;
  /// What a rank has on its device is left to the end of the process, which gives it back in less time.
  bool ends_with_process = false;
};

/// The life of a rank: opens its device, says that it is ready (a result of step 0, with the device and the versions
/// among its answers), and does steps until the channel closes. `channel`: a stream socket of frames (wire/frame.hpp).
[[nodiscard]] ExitCode serve(Tools& tools, const std::string& device, int channel);

}  // namespace gpucoop::rank
