#pragma once

#include <cstdint>
#include <vector>

#include "model/pci.hpp"
#include "read/config/config_space.hpp"

namespace gpucoop {

/// The extended capabilities, each at the offset `at` of its header (pci_regs.h PCI_ACS_*, PCI_ERR_*, PCI_SRIOV_*,
/// PCI_ARI_*, PCI_REBAR_*).
[[nodiscard]] Acs decode_acs(const ConfigSpace& space, std::uint16_t at);
[[nodiscard]] AerStatus decode_aer(const ConfigSpace& space, std::uint16_t at);
[[nodiscard]] SrIov decode_sriov(const ConfigSpace& space, std::uint16_t at);
[[nodiscard]] Known<std::uint8_t> decode_ari_next_function(const ConfigSpace& space, std::uint16_t at);
/// Entries whose number of BARs or index is out of specification are left out.
[[nodiscard]] std::vector<ResizableBar> decode_resizable_bars(const ConfigSpace& space, std::uint16_t at);

}  // namespace gpucoop
