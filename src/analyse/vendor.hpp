#pragma once

#include "analyse/catalogue.hpp"
#include "model/topology.hpp"

namespace gpucoop {

/// PCI class 03xx (display) or 12xx (processing accelerator).
[[nodiscard]] bool is_gpu(const PciDevice& device);
/// By vendor id, else by the words of the name, else `other`.
[[nodiscard]] Vendor vendor_of(const PciDevice& device);
/// False: only a display (catalogue, or a VGA device of no GPU vendor), or an Intel accelerator of class 12xx,
/// which is an NPU and no GPU.
[[nodiscard]] bool can_compute(const PciDevice& device, Vendor vendor, const Catalogue& catalogue);

}  // namespace gpucoop
