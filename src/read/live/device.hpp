#pragma once

#include <string>
#include <vector>

#include "model/pci.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Reads one PCI function from its folder in sysfs. A function that sleeps (D3hot, D3cold or suspended at run time) is
/// not woken: its configuration space and links, which live in the device, are unknown because it is *asleep*; what
/// the kernel keeps in memory is read all the same. Without the right to see capabilities they are `no_root`, and link
/// speeds and widths come from the attributes that everyone may read.
/// Registers of what stands on no way between GPUs and processor (storage, networks, …) are not read, so they are
/// unknown: nothing depends on them, and in a guest every access is a call to the hypervisor.
/// The slot is not in a device's folder.
[[nodiscard]] PciDevice read_device(const Folder& folder, const Address& address);

/// Whether a function sleeps, by its `power/runtime_status` and `power_state`. Runtime suspend may end in any state, D0
/// included, but the device then belongs to its sleep (Documentation/power/runtime_pm.rst). `power_state` is what the
/// kernel remembers, so reading it wakes nothing.
[[nodiscard]] bool is_asleep(const Known<std::string>& runtime_status, const Known<std::string>& power_state);

/// Base and sub-class as the kernel remembers them: reading them touches no device.
[[nodiscard]] Known<std::uint16_t> read_class(const Folder& folder);
/// Base class 03 (display) or 12 (processing accelerator): what may be a GPU.
[[nodiscard]] bool is_display_or_accelerator(const Known<std::uint16_t>& class_code);
[[nodiscard]] bool is_display_or_accelerator(const PciDevice& device);
[[nodiscard]] bool any_display_or_accelerator(const std::vector<PciDevice>& devices);

}  // namespace gpucoop
