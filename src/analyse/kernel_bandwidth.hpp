#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/recording.hpp"

namespace gpucoop {

/// What the kernel says when a device starts whose path is slower than the device itself
/// (drivers/pci/pci.c __pcie_print_link_status): the slowest link as trained at that moment.
struct KernelBandwidth {
  double gbytes_per_s = 0;
  LinkSpeed speed = LinkSpeed::gen1;
  std::uint8_t width = 0;
  Known<Address> at;  ///< the uppermost of the slowest links, as the kernel names it
  std::string line;   ///< with its place
};

/// The values of one line `… Gb/s available PCIe bandwidth, limited by … x8 link at …`; nullopt where a part is
/// missing or impossible.
[[nodiscard]] std::optional<KernelBandwidth> read_kernel_bandwidth(std::string_view line);
/// By device; of several lines the last.
[[nodiscard]] std::map<Address, KernelBandwidth> kernel_bandwidths(const Recording& recording);

}  // namespace gpucoop
