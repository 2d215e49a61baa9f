#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/runtime.hpp"

namespace gpucoop::runtime::host {

/// One operation. It ends soon after `stop` is set, whatever it waits for.
using Task = std::function<Outcome<>(const std::atomic<bool>& stop)>;

class HostGraph final : public Graph {
 public:
  std::vector<Task> tasks;
};

/// An order of operations that a thread of its own does, so that one that waits for another process holds up nobody
/// else. After an operation that failed those behind it are dropped, until `wait` has told about it.
class HostStream final : public Stream {
 public:
  HostStream();
  ~HostStream() override;
  HostStream(const HostStream&) = delete;
  HostStream& operator=(const HostStream&) = delete;

  Outcome<> wait(Deadline deadline) override;
  [[nodiscard]] void* handle() const override { return self_; }

  /// Puts an operation behind the others, or into the graph that is being recorded.
  void put(Task task);
  void begin_recording(HostGraph& graph) { recording_ = &graph; }
  void end_recording() { recording_ = nullptr; }

 private:
  void work();

  void* self_ = this;
  HostGraph* recording_ = nullptr;  ///< of the enqueuing thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;         ///< guarded by mutex_; the front one is being done
  std::optional<Failure> failed_;  ///< guarded by mutex_
  bool closing_ = false;           ///< guarded by mutex_
  std::atomic<bool> stop_{false};
  std::thread worker_;  ///< last: it uses all of the above
};

/// The host backend's own type of a stream that one of its devices made; null for another backend's.
[[nodiscard]] HostStream* host_stream(Stream& stream);

}  // namespace gpucoop::runtime::host
