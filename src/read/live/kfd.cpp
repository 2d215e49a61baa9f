#include "read/live/kfd.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "read/text.hpp"

namespace gpucoop {
namespace {

using Properties = std::map<std::string, std::uint64_t, std::less<>>;

/// Lines `name value`; lines of another form are skipped.
Properties parse_properties(std::string_view text) {
  Properties properties;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    if (const auto value = parse_decimal(trim(line.substr(blank))))
      properties[std::string(line.substr(0, blank))] = *value;
  }
  return properties;
}

std::optional<std::uint64_t> property(const Properties& properties, std::string_view name) {
  const auto found = properties.find(name);
  return found == properties.end() ? std::nullopt : std::optional(found->second);
}

struct Node {
  std::uint64_t gpu_id = 0;
  Properties properties;
  Folder folder;
};

/// As ROCr (amd_topology.cpp RegisterLinkInfo): without the enabled bit both sizes count as supported, and a GPU's
/// launch gate opens with either.
bool allows_atomics(std::uint64_t flags) {
  constexpr std::uint64_t kEnabled = 0x1;
  constexpr std::uint64_t kNo32 = 0x4;
  constexpr std::uint64_t kNo64 = 0x8;
  return (flags & kEnabled) == 0 || (flags & kNo32) == 0 || (flags & kNo64) == 0;
}

PciDevice* device_of(const Node& node, std::vector<PciDevice>& devices) {
  const auto location = property(node.properties, "location_id");
  const auto domain = property(node.properties, "domain");
  if (!location || !domain) return nullptr;
  Address address{static_cast<std::uint32_t>(*domain), static_cast<std::uint8_t>(*location >> 8),
                  static_cast<std::uint8_t>(*location >> 3 & 0x1f), static_cast<std::uint8_t>(*location & 7)};
  const auto find = [&] {
    return std::find_if(devices.begin(), devices.end(), [&](const PciDevice& d) { return d.address == address; });
  };
  auto found = find();
  if (found == devices.end()) {
    // A partition has its number in place of the function.
    address.function = 0;
    found = find();
  }
  return found == devices.end() ? nullptr : &*found;
}

class Nodes {
 public:
  explicit Nodes(const Folder& nodes) {
    for (const auto& name : nodes.names()) {
      const auto number = parse_decimal(name);
      if (number) add(*number, nodes.folder(name));
    }
  }

  [[nodiscard]] bool any_hidden() const { return hidden_; }

  void apply(std::vector<PciDevice>& devices) const {
    for (const auto& [number, node] : nodes_) {
      auto* device = node.gpu_id == 0 ? nullptr : device_of(node, devices);
      if (device == nullptr) continue;
      const auto atomics = link_to_processor(node);
      // Partitions of one device share its link.
      if (!device->driver_atomics.is_known()) device->driver_atomics = atomics;
    }
  }

 private:
  void add(std::uint64_t number, Folder folder) {
    const auto id = folder.text("gpu_id");
    const auto properties = folder.text("properties");
    const auto refused = [](const Known<std::string>& text) {
      return text.is_unknown() && text.reason() == Reason::no_root;
    };
    if (refused(id) || refused(properties)) {
      hidden_ = true;
      return;
    }
    const auto gpu_id = id.is_known() ? parse_decimal(id.value()) : std::nullopt;
    if (!gpu_id || !properties.is_known()) return;
    nodes_.emplace(number, Node{*gpu_id, parse_properties(properties.value()), std::move(folder)});
  }

  [[nodiscard]] bool is_processor(std::uint64_t number) const {
    const auto found = nodes_.find(number);
    return found != nodes_.end() && found->second.gpu_id == 0;
  }

  [[nodiscard]] Known<bool> link_to_processor(const Node& node) const {
    const auto links = node.folder.folder("io_links");
    Known<bool> result;
    for (const auto& name : links.names()) {
      const auto text = links.folder(name).text("properties");
      const auto properties = parse_properties(text.value_or(""));
      const auto to = property(properties, "node_to");
      const auto flags = property(properties, "flags");
      if (to && flags && is_processor(*to)) result = result.is(true) || allows_atomics(*flags);
    }
    return result;
  }

  std::map<std::uint64_t, Node> nodes_;
  bool hidden_ = false;
};

}  // namespace

void read_kfd(const Folder& sys, Recording& recording) {
  const auto nodes = sys.folder("class/kfd/kfd/topology/nodes");
  if (!nodes.ok()) return;
  const Nodes topology(nodes);
  topology.apply(recording.devices);
  if (!topology.any_hidden()) return;
  for (auto& device : recording.devices) {
    if (device.driver.is("amdgpu") && !device.driver_atomics.is_known()) {
      device.driver_atomics = Known<bool>::unknown(Reason::hidden_by_container);
    }
  }
}

}  // namespace gpucoop
