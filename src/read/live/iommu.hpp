#pragma once

#include "model/recording.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Whether an IOMMU is in use and translates for the GPUs, by the types of their groups (`identity` does not, `DMA`,
/// `DMA-FQ` and others that begin so do; drivers/iommu/iommu.c iommu_group_show_type). Without a GPU, for all devices.
/// Unknown where groups differ.
void read_iommu(const Folder& sys, Recording& recording);

}  // namespace gpucoop
