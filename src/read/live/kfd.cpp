#include "read/live/kfd.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "read/live/device.hpp"

namespace gpucoop {
namespace {

// kfd_crat.h CRAT_IOLINK_FLAGS_* and CRAT_IOLINK_TYPE_*
constexpr std::uint64_t kEnabled = 0x1;
constexpr std::uint64_t kNo32 = 0x4;
constexpr std::uint64_t kNo64 = 0x8;
constexpr std::uint64_t kNoPeerDma = 0x10;
constexpr std::uint64_t kPcie = 2;
constexpr std::uint64_t kXgmi = 11;

/// As ROCr (amd_topology.cpp RegisterLinkInfo): without the enabled bit both sizes count as supported, and a GPU's
/// launch gate opens with either.
bool allows_atomics(std::uint64_t flags) {
  return (flags & kEnabled) == 0 || (flags & kNo32) == 0 || (flags & kNo64) == 0;
}

template <class T>
Known<T> narrowed(const Known<std::uint64_t>& value) {
  return value.and_then([](std::uint64_t v) {
    return v > std::numeric_limits<T>::max() ? Known<T>::unknown(Reason::damaged) : Known<T>(static_cast<T>(v));
  });
}

/// kfd_crat.h: a GPU's memory is one heap, public (the whole of it in its BAR) or private.
Known<bool> large_bar(const std::optional<std::vector<std::uint64_t>>& heap_types, Reason missing) {
  constexpr std::uint64_t kPublic = 1;
  constexpr std::uint64_t kPrivate = 2;
  if (!heap_types) return Known<bool>::unknown(missing);
  const auto has = [&](std::uint64_t type) {
    return std::find(heap_types->begin(), heap_types->end(), type) != heap_types->end();
  };
  if (has(kPrivate)) return false;
  return has(kPublic) ? Known<bool>(true) : Known<bool>();
}

class Application {
 public:
  Application(const KfdTopology& topology, Reason missing, Recording& recording)
      : topology_(topology), missing_(missing), recording_(recording) {}

  void run() {
    for (const auto& [number, node] : topology_.nodes()) {
      if (node.stated.gpu_id == 0 || node.stated.refused) continue;
      if (auto* device = device_of(node.stated, recording_)) {
        describe(node, *device);
        addresses_[number] = device->address;
      }
    }
    for (const auto& [number, node] : topology_.nodes()) take_links(number, node);
    for (auto& device : recording_.devices) {
      if (device.driver.is("amdgpu") && !device.kfd.is_known()) take_missing(device);
    }
    for (auto& [pair, link] : links_) recording_.driver_links.push_back(link);
  }

 private:
  void describe(const KfdTopology::Node& node, PciDevice& device) {
    const auto& stated = node.stated;
    KfdReading reading = device.kfd.value_or({});
    if (!device.kfd.is_known()) {
      reading.gfx_target_version = narrowed<std::uint32_t>(stated.gfx_target_version);
      reading.mec_firmware = narrowed<std::uint32_t>(stated.fw_version);
      reading.sdma_firmware = narrowed<std::uint32_t>(stated.sdma_fw_version);
      reading.hive = narrowed<unsigned>(stated.hive);
      reading.large_bar = large_bar(node.heap_types, missing_);
      reading.partitions = topology_.complete() ? Known<unsigned>(0U) : Known<unsigned>::unknown(why_incomplete());
    }
    if (reading.partitions.is_known()) reading.partitions = reading.partitions.value() + 1;
    device.kfd = reading;
    // Partitions of one device share its link.
    if (!device.driver_atomics.is_known()) device.driver_atomics = link_to_processor(node);
    if (!device.render_minor.is_known()) device.render_minor = narrowed<unsigned>(stated.render_minor);
  }

  [[nodiscard]] Reason why_incomplete() const {
    return topology_.any_hidden() ? Reason::hidden_by_container : missing_;
  }

  void take_missing(PciDevice& device) const {
    if (topology_.complete()) {
      device.kfd = Known<KfdReading>::absent();
      return;
    }
    device.kfd = Known<KfdReading>::unknown(why_incomplete());
    if (!device.driver_atomics.is_known()) device.driver_atomics = Known<bool>::unknown(why_incomplete());
  }

  [[nodiscard]] Known<bool> link_to_processor(const KfdTopology::Node& node) const {
    if (!node.links) return Known<bool>::unknown(missing_);
    Known<bool> result;
    for (const auto& link : *node.links) {
      const auto* to = link.to.is_known() ? topology_.find(link.to.value()) : nullptr;
      if (to == nullptr || to->stated.refused || to->stated.gpu_id != 0 || !link.flags.is_known()) continue;
      result = result.is(true) || allows_atomics(link.flags.value());
    }
    return result;
  }

  void take_links(std::uint64_t number, const KfdTopology::Node& node) {
    const auto from = addresses_.find(number);
    if (from == addresses_.end() || !node.links) return;
    for (const auto& link : *node.links) {
      const auto to = link.to.is_known() ? addresses_.find(link.to.value()) : addresses_.end();
      if (to == addresses_.end() || to->second == from->second) continue;
      DriverLink stated;
      stated.from = from->second;
      stated.to = to->second;
      stated.kind = link.type.is(kXgmi)   ? DriverLink::Kind::xgmi
                    : link.type.is(kPcie) ? DriverLink::Kind::pcie
                                          : DriverLink::Kind::other;
      stated.weight = narrowed<unsigned>(link.weight);
      // As ROCr: only the enabled bit makes the others count.
      if (link.flags.is_known()) {
        stated.peer_dma = (link.flags.value() & kEnabled) == 0 || (link.flags.value() & kNoPeerDma) == 0;
      }
      take_link(stated);
    }
  }

  /// Of several links between two devices (their partitions have one each) the first counts.
  void take_link(const DriverLink& link) {
    if (!links_.try_emplace({link.from, link.to}, link).second || link.kind != DriverLink::Kind::xgmi) return;
    if (links_.count({link.to, link.from}) != 0) return;
    FabricLink fabric;
    fabric.a = link.from;
    fabric.b = link.to;
    fabric.kind = FabricLink::Kind::xgmi;
    recording_.fabric.push_back(fabric);
  }

  const KfdTopology& topology_;
  Reason missing_;
  Recording& recording_;
  std::map<std::uint64_t, Address> addresses_;
  std::map<std::pair<Address, Address>, DriverLink> links_;
};

}  // namespace

PciDevice* device_of(const KfdNode& node, Recording& recording) {
  if (!node.location.is_known() || !node.domain.is_known()) return nullptr;
  const auto location = node.location.value();
  Address address{static_cast<std::uint32_t>(node.domain.value()), static_cast<std::uint8_t>(location >> 8),
                  static_cast<std::uint8_t>(location >> 3 & 0x1f), static_cast<std::uint8_t>(location & 7)};
  const auto find = [&] {
    auto* device = find_device(recording, address);
    return device != nullptr && is_display_or_accelerator(*device) ? device : nullptr;
  };
  if (auto* device = find()) return device;
  address.function = 0;
  return find();
}

void apply_kfd(const KfdTopology& topology, Reason missing, Recording& recording) {
  if (!topology.no_driver()) Application(topology, missing, recording).run();
}

}  // namespace gpucoop
