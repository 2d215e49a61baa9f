#pragma once

#include <string>

#include "analyse/catalogue.hpp"
#include "base/known.hpp"

namespace gpucoop {

/// Windows Subsystem for Linux 2: its kernels are named like `5.15.153.1-microsoft-standard-WSL2`.
[[nodiscard]] bool is_wsl(const HostReading& host);

/// Whether the host is a virtual machine. Yes: a source says so or a hypervisor's device is there. No: only where a
/// source says so. `evidence` names what decided.
struct Virtualization {
  Tri state = Tri::unknown;
  std::string evidence;
};
[[nodiscard]] Virtualization virtualization_of(const Recording& recording, const Catalogue& catalogue);

}  // namespace gpucoop
