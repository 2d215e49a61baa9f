#include "read/live/iommu.hpp"

#include <set>
#include <string>

#include "read/live/device.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

std::set<std::uint32_t> groups_of(const std::vector<PciDevice>& devices, bool gpus_only) {
  std::set<std::uint32_t> groups;
  for (const auto& device : devices) {
    if (gpus_only && !is_display_or_accelerator(device)) continue;
    if (device.iommu_group.is_known()) groups.insert(device.iommu_group.value());
  }
  return groups;
}

}  // namespace

void read_iommu(const Folder& sys, Recording& recording) {
  const auto list = sys.folder("kernel/iommu_groups");
  if (!list.ok()) return;
  auto groups = groups_of(recording.devices, true);
  if (groups.empty()) groups = groups_of(recording.devices, false);
  auto& host = recording.host;
  if (groups.empty()) {
    if (!list.names().empty() || !sys.folder("class/iommu").names().empty()) return;
    host.iommu_active = false;
    host.iommu_translating = false;
    return;
  }
  host.iommu_active = true;
  bool translated = false;
  bool identity = false;
  for (const auto group : groups) {
    const auto type = list.folder(std::to_string(group)).text("type");
    identity = identity || type.is("identity");
    translated = translated || (type.is_known() && starts_with(type.value(), "DMA"));
  }
  if (translated != identity) host.iommu_translating = translated;
  if (translated && identity) host.iommu_translating = Known<bool>::unknown(Reason::disagreement);
}

}  // namespace gpucoop
