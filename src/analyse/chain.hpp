#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyse/catalogue.hpp"
#include "analyse/device_tree.hpp"

namespace gpucoop {

/// Which way a function looks, which decides between which functions there is a link.
/// `other`: on no PCI Express link (conventional PCI).
enum class Facing : std::uint8_t { unknown, down, up, endpoint, other };

/// One function between the root and a device.
struct Step {
  Address address;
  const PciDevice* device = nullptr;  ///< null: only named by what is below it
  std::size_t index = 0;              ///< in Recording::devices; meaningful where there is a device
  bool gap_above = false;             ///< bridges between this and the step before are not in the input
  Facing facing = Facing::unknown;    ///< from the port type, else from the alternation of ports on the path
  bool on_card = false;
  bool chipset = false;
};

/// The way from the root to a device, root first.
struct Chain {
  std::vector<Step> steps;
  bool on_root_bus = false;    ///< the first step sits on a root bus
  bool host_attached = false;  ///< above the first step there is only the host, though ports are left out
  bool has_gap = false;

  /// The first root port upwards from the device (what the kernel takes for its root port), as an index into steps.
  [[nodiscard]] std::optional<std::size_t> root_port() const;
  /// A root port is in the chain, or its first step sits on a root bus.
  [[nodiscard]] bool reaches_root() const;
};

/// The chain of a device. Longer than 32 steps or a loop: what is above is left out, and a warning
/// `analysis.cyclic-bridges` is added.
[[nodiscard]] Chain build_chain(const DeviceTree& tree, std::size_t index, std::vector<Warning>& warnings);

}  // namespace gpucoop
