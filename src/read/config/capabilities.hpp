#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/known.hpp"
#include "read/config/config_space.hpp"

namespace gpucoop {

/// Capability ids that are decoded (pci_regs.h PCI_CAP_ID_*).
enum class CapabilityId : std::uint8_t { power_management = 0x01, subsystem = 0x0d, express = 0x10 };
/// Extended capability ids that are decoded (pci_regs.h PCI_EXT_CAP_ID_*).
enum class ExtendedId : std::uint16_t { aer = 0x01, acs = 0x0d, ari = 0x0e, sriov = 0x10, resizable_bar = 0x15 };

/// Where the capabilities of a function are: the offset of each, absent where the whole list was seen and does not
/// have it, else unknown with the reason why the list could not be followed to its end.
struct Capabilities {
  Known<std::uint16_t> power_management;
  Known<std::uint16_t> subsystem;
  Known<std::uint16_t> express;
  Known<std::uint16_t> aer;
  Known<std::uint16_t> acs;
  Known<std::uint16_t> ari;
  Known<std::uint16_t> sriov;
  Known<std::uint16_t> resizable_bar;
};

/// Follows both lists; of several capabilities with one id the first counts. A list with a loop, a pointer into the
/// header or an entry that reads all ones ends there, and what was not found before that is unknown (`damaged`).
[[nodiscard]] Capabilities find_capabilities(const ConfigSpace& space);

}  // namespace gpucoop
