#include "read/live/driver_attributes.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "read/live/device.hpp"
#include "read/live/device_values.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

std::optional<std::uint32_t> number_after(std::string_view prefix, std::string_view name) {
  if (!starts_with(name, prefix)) return std::nullopt;
  constexpr std::uint64_t kMost = 1U << 20;  // minors have 20 bits
  const auto number = parse_decimal(name.substr(prefix.size()));
  return number && *number < kMost ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

Known<std::uint64_t> size(const Folder& device, const char* name) {
  return converted<std::uint64_t>(device.text(name), [](std::string_view text) {
    const auto value = parse_decimal(text);
    return value ? Known<std::uint64_t>(*value) : Known<std::uint64_t>::unknown(Reason::damaged);
  });
}

}  // namespace

void read_driver_attributes(const Folder& sys, const std::vector<Address>& gpus, Reports& reports) {
  const auto list = sys.folder("bus/pci/devices");
  for (const auto& address : gpus) {
    const auto device = list.folder(to_string(address));
    DeviceNodes nodes;
    nodes.address = address;
    for (const auto& name : device.folder("drm").names()) {
      if (const auto minor = number_after("renderD", name)) nodes.render.push_back(*minor);
      if (const auto card = number_after("card", name)) nodes.cards.push_back(*card);
    }
    reports.send(nodes);
    if (!device.link_name("driver").is("amdgpu")) continue;
    DriverAttributes attributes;
    attributes.address = address;
    attributes.vram = Known<std::uint64_t>::unknown(Reason::asleep);
    attributes.visible_vram = attributes.vram;
    attributes.used_vram = attributes.vram;
    if (!is_asleep(device.text("power/runtime_status"), device.text("power_state"))) {
      reports.reading(to_string(address) + " mem_info_vram_total");
      attributes.vram = size(device, "mem_info_vram_total");
      reports.reading(to_string(address) + " mem_info_vis_vram_total");
      attributes.visible_vram = size(device, "mem_info_vis_vram_total");
      reports.reading(to_string(address) + " mem_info_vram_used");
      attributes.used_vram = size(device, "mem_info_vram_used");
    }
    reports.send(attributes);
  }
}

void apply_driver_attributes(const DriverAttributes& attributes, Recording& recording) {
  auto* device = find_device(recording, attributes.address);
  if (device == nullptr) return;
  device->vram_bytes = attributes.vram;
  const auto* kfd = device->kfd.get();
  if (kfd == nullptr || kfd->large_bar.is_known() || !attributes.vram.is_known() ||
      !attributes.visible_vram.is_known()) {
    return;
  }
  auto filled = *kfd;
  filled.large_bar = attributes.visible_vram == attributes.vram;
  device->kfd = filled;
}

void apply_device_nodes(const DeviceNodes& nodes, Recording& recording) {
  auto* device = find_device(recording, nodes.address);
  if (device == nullptr || device->render_minor.is_known()) return;
  device->render_minor =
      nodes.render.empty() ? Known<unsigned>::absent() : Known<unsigned>(unsigned{nodes.render.front()});
}

}  // namespace gpucoop
