#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/runtime.hpp"

namespace gpucoop::runtime {

/// How a loop waits for something that it can only ask for: at first by asking again, so that short operations cost
/// nothing, then with naps that grow, so that long ones leave the processor to others.
class Patience {
 public:
  explicit Patience(Deadline deadline) : deadline_(deadline) {}

  /// Waits a little. False once the deadline has passed.
  [[nodiscard]] bool wait() {
    if (Clock::now() >= deadline_) return false;
    if (++asked_ < kEager) return true;
    if (asked_ < kEager + kYields) {
      std::this_thread::yield();
      return true;
    }
    std::this_thread::sleep_for(nap_);
    nap_ = std::min(nap_ * 2, kLongest);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned kEager = 1000;
  static constexpr unsigned kYields = 200;
  static constexpr std::chrono::microseconds kLongest{1000};
  Deadline deadline_;
  unsigned asked_ = 0;
  std::chrono::microseconds nap_{20};
};

}  // namespace gpucoop::runtime
