#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpucoop::probe {

/// Where the driver of AMD's GPUs lists the processes that it keeps anything for.
constexpr const char* kKfdProcesses = "/sys/class/kfd/kfd/proc";

/// Waits until the driver has let go of processes that have ended. That of AMD takes the queues of a killed process
/// down after its end, and keeps it listed until that is done; where the GPU does not give them back, a reset follows
/// that ends whatever else runs on it. So nothing new may be started before. False once `patience` is over, or `tick`
/// gives false, which is called every 50 ms. Where there is no such list nothing is waited for. Entries are looked for
/// and never read.
[[nodiscard]] bool wait_until_released(const std::vector<std::int32_t>& ended, std::chrono::milliseconds patience,
                                       const std::function<bool()>& tick, const std::string& processes = kKfdProcesses);

}  // namespace gpucoop::probe
