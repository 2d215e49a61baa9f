#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/recording.hpp"

namespace gpucoop {

/// True for a device that has a bus below it: type 1 header, bus numbers, or PCI class 0604/0609.
[[nodiscard]] bool is_bridge(const PciDevice& device);

/// What is directly above a device.
struct Parent {
  enum class Kind : std::uint8_t {
    unknown,   ///< the input does not tell
    root_bus,  ///< a root bus: nothing is above
    host,      ///< the host, but the source leaves out the ports between (NCCL topology XML)
    bridge,
  };
  Kind kind = Kind::unknown;
  std::optional<std::size_t> index;  ///< of the bridge in Recording::devices; none where it is only named
  Address address;                   ///< of the bridge
  bool gap = false;                  ///< bridges between the two are not in the input
};

/// Who hangs below whom, from parent links and bus numbers, never from list order.
/// A stated parent (tree, path, XML nesting, sysfs) decides; else the bridge whose secondary bus is the device's
/// bus; else the tightest bridge whose range holds that bus (then bridges between are missing).
/// A secondary bus of 0 is an unconfigured bridge and ignored. Linear in the devices.
class DeviceTree {
 public:
  explicit DeviceTree(const Recording& recording);

  [[nodiscard]] const Recording& recording() const { return recording_; }
  [[nodiscard]] const PciDevice& device(std::size_t index) const { return recording_.devices[index]; }
  [[nodiscard]] const Parent& above(std::size_t index) const { return above_[index]; }
  [[nodiscard]] const std::vector<std::size_t>& below(std::size_t index) const { return below_[index]; }
  [[nodiscard]] std::optional<std::size_t> find(const Address& address) const;
  /// The device that answers for a root bus: function 0 of the lowest device on it (its host bridge), or null.
  [[nodiscard]] const PciDevice* host_bridge(std::uint32_t domain, std::uint8_t bus) const;
  /// Buses that two bridges claim, and places where a stated parent and the bus numbers differ.
  [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  using BusKey = std::uint64_t;  ///< domain and bus

  void index_bridges();
  void index_root_buses();
  [[nodiscard]] Parent by_bus_numbers(std::size_t index);
  [[nodiscard]] std::optional<std::size_t> unambiguous(const std::vector<std::size_t>& claims) const;
  [[nodiscard]] std::optional<std::size_t> tightest(const Address& address);
  void compare_with_bus_numbers(std::size_t index, const Address& stated);

  const Recording& recording_;
  std::unordered_map<BusKey, std::vector<std::size_t>> by_secondary_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> bridges_of_domain_;
  std::unordered_map<BusKey, std::optional<std::size_t>> tightest_;  ///< found so far
  std::unordered_set<BusKey> root_buses_;
  std::unordered_set<BusKey> ambiguous_;
  std::vector<Parent> above_;
  std::vector<std::vector<std::size_t>> below_;
  std::vector<Warning> warnings_;
};

}  // namespace gpucoop
