#include "collective/nccl/session.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/patience.hpp"

namespace gpucoop::collective::nccl {

using runtime::Done;
using runtime::Failure;
using runtime::Outcome;

Outcome<> finish(const Session& session, const char* function, int code, void* communicator,
                 runtime::Deadline deadline) {
  runtime::Patience patience(deadline);
  while (code == kInProgress) {
    int state = kSuccess;
    const int asked = session.abi->async_error(communicator, &state);
    if (asked != kSuccess) return session.abi->failure("ncclCommGetAsyncError", asked, communicator);
    code = state;
    if (code == kInProgress && !patience.wait())
      return Failure{ProbeState::hung, fmt::format("{}: still in progress at the deadline", function)};
  }
  if (code != kSuccess) return session.abi->failure(function, code, communicator);
  return Done{};
}

Outcome<int> aside(const char* function, runtime::Deadline deadline, std::function<int()> what) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<int> code;
  };
  auto shared = std::make_shared<Shared>();
  try {
    std::thread([shared, what = std::move(what)] {
      const int code = what();
      const std::lock_guard lock(shared->mutex);
      shared->code = code;
      shared->changed.notify_all();
    }).detach();
  } catch (const std::system_error& error) {
    return Failure{ProbeState::failed, fmt::format("{}: no thread for it: {}", function, error.what())};
  }
  std::unique_lock lock(shared->mutex);
  if (!shared->changed.wait_until(lock, deadline, [&shared] { return shared->code.has_value(); }))
    return Failure{ProbeState::hung, fmt::format("{}: has not come back at the deadline", function)};
  return *shared->code;
}

}  // namespace gpucoop::collective::nccl
