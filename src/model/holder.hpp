#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/address.hpp"
#include "base/known.hpp"

namespace gpucoop {

/// What a process uses a GPU for. `monitor`: watches it (persistence daemon, exporters) and keeps nothing on it.
enum class HolderClass : std::uint8_t { compute, display, monitor };
[[nodiscard]] std::string_view to_string(HolderClass c);

/// A process that holds a GPU of the running host.
struct Holder {
  Address gpu;
  std::uint32_t pid = 0;
  std::string process;  ///< the kernel's name for it (`comm`)
  HolderClass use = HolderClass::compute;
  Known<std::string> user;            ///< name, or the number where there is none
  Known<std::string> unit;            ///< systemd unit; absent: none
  Known<std::string> container;       ///< runtime and short id; absent: none
  bool user_manager = false;          ///< unit and container are below the user's own systemd (`systemctl --user`)
  Known<double> seconds;              ///< since the process started
  Known<std::uint64_t> memory_bytes;  ///< on the GPU
  Known<double> engine_seconds;       ///< the GPU's engines spent on it
  std::string evidence;               ///< what shows it: `/proc/812/fdinfo/9`, `kfd/proc/812/vram_4711`
};

}  // namespace gpucoop
