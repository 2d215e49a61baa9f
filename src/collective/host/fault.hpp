#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace gpucoop::collective::host {

/// The injected fault `global-state`: what should belong to a communicator belongs to the process. A process has one
/// mailbox, so that data which come for a communicator that it is not in keep out those that it waits for, and two
/// crossed pairs that alternate wait for each other for ever. Each communicator alone is not disturbed, nor are crossed
/// ones where all processes have ended one operation before any begins the next. Models kernels that keep scratch
/// memory and tags for the process (facts: intel 4.6).
class GlobalState {
 public:
  /// `late`: this process begins an operation a little later than others after it changed communicators, so that the
  /// fault does not depend on luck.
  explicit GlobalState(bool late) : late_(late) {}
  /// In front of each operation. Waits no longer than 30 ms, and not where communicators do not alternate.
  void enter(std::uint32_t token, const std::atomic<bool>& stop);

 private:
  [[nodiscard]] bool lingers(std::uint32_t token);

  const bool late_;
  std::mutex mutex_;
  std::uint32_t last_ = 0;     ///< token; guarded by mutex_, as are those below
  std::uint32_t changes_ = 0;  ///< bit i: i operations ago the communicator changed
  unsigned lingered_ = 0;      ///< since communicators began to alternate
};

}  // namespace gpucoop::collective::host
