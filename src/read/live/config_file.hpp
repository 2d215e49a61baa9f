#pragma once

#include "read/config/config_space.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Reads a function's configuration space from its sysfs attribute `config`, as far as the kernel gives it: 64 bytes
/// (128 for CardBus) without CAP_SYS_ADMIN, 256 where there is no way to the extended space, else 4096
/// (drivers/pci/pci-sysfs.c pci_read_config). Beyond the header only the lists of capabilities and the capabilities
/// that `decode_config` knows are read: every four bytes are one access to the device, and slow. Empty where the
/// attribute cannot be read.
void read_config_file(const Descriptor& file, ConfigSpace& space);

}  // namespace gpucoop
