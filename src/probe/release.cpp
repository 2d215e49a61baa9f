#include "probe/release.hpp"

#include <unistd.h>

#include <algorithm>
#include <thread>

namespace gpucoop::probe {

bool wait_until_released(const std::vector<std::int32_t>& ended, std::chrono::milliseconds patience,
                         const std::function<bool()>& tick, const std::string& processes) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kNap(50);
  const auto until = Clock::now() + patience;
  for (;;) {
    const bool kept = std::any_of(ended.begin(), ended.end(), [&](std::int32_t pid) {
      return ::access((processes + "/" + std::to_string(pid)).c_str(), F_OK) == 0;
    });
    if (!kept) return true;
    if (Clock::now() >= until || (tick && !tick())) return false;
    std::this_thread::sleep_for(kNap);
  }
}

}  // namespace gpucoop::probe
