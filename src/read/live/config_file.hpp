#pragma once

#include "read/config/config_space.hpp"
#include "read/live/folder.hpp"

namespace gpucoop {

/// Which bytes are read: all there are; or, of a device, where every four bytes are one slow access to it, only what
/// `decode_config` looks at: of the header what sysfs does not say elsewhere, the lists of capabilities, and of the
/// capabilities the known ones. `bars`: Base Address Registers are read of all functions, not only of those that may be
/// GPUs.
struct ConfigAccess {
  bool all = false;
  bool bars = true;
};

/// Reads a function's configuration space from its sysfs attribute `config`, as far as the kernel gives it: 64 bytes
/// (128 for CardBus) without CAP_SYS_ADMIN, 256 where there is no way to the extended space, else 4096
/// (drivers/pci/pci-sysfs.c pci_read_config). Empty where the attribute cannot be read.
void read_config_file(const Descriptor& file, const ConfigAccess& access, ConfigSpace& space);

}  // namespace gpucoop
