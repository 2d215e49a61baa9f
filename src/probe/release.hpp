#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpucoop::probe {

/// Where the driver of AMD's GPUs lists the processes that it keeps anything for.
constexpr const char* kKfdProcesses = "/sys/class/kfd/kfd/proc";

/// It gives a GPU 9 s to take a queue down (amdgpu's queue_preemption_timeout_ms) before it resets that GPU.
constexpr std::chrono::milliseconds kReleaseTime{25000};

/// Waits until the driver has let go of processes that have ended. That of AMD takes the queues of a killed process
/// down after its end, and keeps it listed until that is done (kfd_process.c, kfd_process_wq_release); where the GPU
/// does not give them back, a reset follows that ends whatever else runs on it. So nothing new may be started before.
/// False once `patience` is over, or `tick` gives false, which is called every 50 ms. Entries are looked for and never
/// read. Where there is no such list nothing is waited for: NVIDIA's driver takes down what a process has while that
/// process ends, before its parent hears of it. In a PID namespace of its own (most containers) a process has other
/// numbers than in the list, and nothing is found to wait for. There, too, fresh ranks show what can be used.
[[nodiscard]] bool wait_until_released(const std::vector<std::int32_t>& ended, std::chrono::milliseconds patience,
                                       const std::function<bool()>& tick, const std::string& processes = kKfdProcesses);

}  // namespace gpucoop::probe
