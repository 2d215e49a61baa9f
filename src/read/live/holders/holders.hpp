#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/recording.hpp"
#include "read/live/driver_attributes.hpp"
#include "read/live/holders/observations.hpp"
#include "read/live/kfd_topology.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What has been reported of the processes that use GPUs.
class HolderFindings {
 public:
  /// Takes a message about processes; false for others.
  bool take(const std::string& message);

  /// Writes `holders` and `holders_complete`. A process holds a GPU where KFD shows memory or a queue of it there,
  /// where a DRM driver shows memory or engine time, or where it has the device node open and the driver states nothing
  /// about its use. An open /dev/kfd or /dev/nvidiactl belongs to no GPU and shows nothing. What the holders are there
  /// for is taken from their names in `rules`. `missing`: why what was not read to the end is not known.
  void apply(const KfdTopology& topology, const std::vector<DeviceNodes>& nodes, const Rules& rules, Reason missing,
             Recording& recording) const;

  /// KFD's list of processes could be read whole: it has every process of the host that computes through KFD, in
  /// whatever namespace (drivers/gpu/drm/amd/amdkfd/kfd_process.c kfd_create_process_sysfs).
  [[nodiscard]] bool kfd_lists_all() const { return end_ && end_->kfd; }

 private:
  std::vector<OpenNode> open_;
  std::vector<DrmClient> clients_;
  std::vector<KfdUse> uses_;
  std::vector<NvidiaGpu> nvidia_;
  std::vector<ProcessReading> processes_;
  std::optional<HoldersEnd> end_;
};

}  // namespace gpucoop
