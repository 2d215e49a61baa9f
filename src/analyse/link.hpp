#pragma once

#include <optional>
#include <string>

#include "model/topology.hpp"

namespace gpucoop {

/// The two ends of one link as read. An end that is not in the input is null; at least one is there.
struct LinkEnds {
  const PciDevice* upper = nullptr;
  const PciDevice* lower = nullptr;
  bool on_card = false;
  bool soldered = false;  ///< between the processor and the board's chipset: lanes that are missing are not wired
};

/// `16 GT/s x8`.
[[nodiscard]] std::string speed_and_width(LinkSpeed speed, unsigned width);
/// GB/s in one direction; unknown where one of the two is, or where the width is 0 (link down).
[[nodiscard]] Known<double> rate_of(const Known<LinkSpeed>& speed, const Known<std::uint8_t>& width);

/// One link from its two ends. Where the ends state different speeds or widths the value is unknown
/// (`disagreement`) and `disagreement` says so in words. The most that both can do needs both ends.
/// An end that is null is reported with the address of the other one.
/// State: width below what both can do is a downgrade; speed below it at full width is idle, unless link errors are
/// recorded or the port is told to go no faster (nvidia-and-pcie facts: idle downshift versus real downgrade).
struct JudgedLink {
  Link link;
  std::optional<std::string> disagreement;
};
[[nodiscard]] JudgedLink judge_link(const LinkEnds& ends);

}  // namespace gpucoop
