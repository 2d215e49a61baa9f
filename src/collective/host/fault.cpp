#include "collective/host/fault.hpp"

#include <bit>
#include <chrono>
#include <thread>

namespace gpucoop::collective::host {
namespace {

constexpr std::uint32_t kRecent = 0xFFFF;  ///< operations that are looked back on
constexpr unsigned kMostLingers = 12;
constexpr std::chrono::milliseconds kLinger{30};

}  // namespace

bool GlobalState::lingers(std::uint32_t token) {
  const std::lock_guard lock(mutex_);
  const bool changed = last_ != 0 && last_ != token;
  last_ = token;
  changes_ = (changes_ << 1U | (changed ? 1U : 0U)) & kRecent;
  if (changes_ == 0) lingered_ = 0;
  if (!late_ || !changed || std::popcount(changes_) < 2 || lingered_ == kMostLingers) return false;
  ++lingered_;
  return true;
}

void GlobalState::enter(std::uint32_t token, const std::atomic<bool>& stop) {
  if (!lingers(token)) return;
  const auto end = std::chrono::steady_clock::now() + kLinger;
  while (std::chrono::steady_clock::now() < end && !stop.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace gpucoop::collective::host
