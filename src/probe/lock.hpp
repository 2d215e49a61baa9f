#pragma once

#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace gpucoop::probe {

/// Devices that no other probe uses while this lives. Goes with the process, whatever ends it, and is not inherited by
/// what it starts.
class DeviceLocks {
 public:
  /// Locks the folders of PCI devices in sysfs (`devices`, usually /sys/bus/pci/devices). Simulated ones are shared
  /// with nobody: each probe has its own, and none of them is locked. `busy` where another probe has a device, naming
  /// its process where it can be seen; none is locked then. `no_such_input` where there is no such device.
  static Result<DeviceLocks> take(const std::vector<Address>& of, const std::string& devices = "/sys/bus/pci/devices");

 private:
  explicit DeviceLocks(std::vector<Descriptor> locked) : locked_(std::move(locked)) {}
  std::vector<Descriptor> locked_;
};

/// The process that has a lock on this file by /proc/locks; 0: not known.
[[nodiscard]] std::int32_t lock_owner(const std::string& locks, unsigned device_major, unsigned device_minor,
                                      std::uint64_t inode);

}  // namespace gpucoop::probe
