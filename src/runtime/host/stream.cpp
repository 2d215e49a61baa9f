#include "runtime/host/stream.hpp"

#include <utility>

namespace gpucoop::runtime::host {

HostStream::HostStream() : worker_([this] { work(); }) {}

HostStream::~HostStream() {
  stop_.store(true, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void HostStream::put(Task task) {
  if (recording_ != nullptr) {
    recording_->tasks.push_back(std::move(task));
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
}

Outcome<> HostStream::wait(Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_until(lock, deadline, [this] { return tasks_.empty(); })) {
    return Failure{ProbeState::hung, "host stream: operations did not end before the deadline"};
  }
  if (!failed_) return Done{};
  Failure failure = *std::move(failed_);
  failed_.reset();
  return failure;
}

void HostStream::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
    if (closing_) return;
    const Task task = tasks_.front();
    if (!failed_) {
      lock.unlock();
      auto outcome = task(stop_);
      lock.lock();
      if (!outcome.ok()) failed_ = outcome.failure();
    }
    tasks_.pop_front();
    if (tasks_.empty()) changed_.notify_all();
  }
}

HostStream* host_stream(Stream& stream) { return dynamic_cast<HostStream*>(&stream); }

}  // namespace gpucoop::runtime::host
