#pragma once

#include "model/pci.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Reads one PCI function from its folder in sysfs. A function that sleeps (D3hot, D3cold or suspended at run time) is
/// not woken: its configuration space and links, which live in the device, are unknown because it is *asleep*; what
/// the kernel keeps in memory is read all the same. Without the right to see capabilities they are `no_root`, and link
/// speeds and widths come from the attributes that everyone may read.
/// The slot is not in a device's folder.
[[nodiscard]] PciDevice read_device(const Folder& folder, const Address& address);

/// Base class 03 (display) or 12 (processing accelerator): what may be a GPU.
[[nodiscard]] bool is_display_or_accelerator(const PciDevice& device);

}  // namespace gpucoop
