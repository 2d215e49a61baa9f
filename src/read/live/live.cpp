#include "read/live/live.hpp"

#include <algorithm>
#include <utility>

#include "read/live/device.hpp"
#include "read/live/device_path.hpp"
#include "read/live/folder.hpp"
#include "read/live/guarded.hpp"
#include "read/live/host.hpp"
#include "read/live/kernel_log.hpp"
#include "read/live/names.hpp"
#include "read/live/slots.hpp"

namespace gpucoop {
namespace {

void set_place(const Folder& list, const std::string& name, PciDevice& device) {
  device.places.push_back({0, 0});
  const auto path = parse_device_path(list.link(name.c_str()).value_or(""), device.address);
  if (!path) return;
  device.stated_parent = path->parent ? Known<Address>(*path->parent) : Known<Address>::absent();
  device.stated_root_bus = path->root_bus;
}

PciDevice nothing_but(const Address& address) {
  constexpr auto kWhy = Reason::no_root;
  PciDevice device;
  device.address = address;
  device.class_code = Known<std::uint16_t>::unknown(kWhy);
  device.express = Known<PciExpress>::unknown(kWhy);
  device.access_denied = true;
  return device;
}

void read_devices(const Folder& list, Recording& recording) {
  recording.lists_devices = true;
  recording.listing_complete = true;
  for (const auto& name : list.names()) {
    const auto address = parse_address(name);
    if (!address) continue;
    const auto folder = list.folder(name);
    if (folder.missing()) {
      recording.warnings.push_back({"live.vanished", name + " went away while the host was read", name});
      continue;
    }
    auto device = folder.ok() ? read_device(folder, *address) : nothing_but(*address);
    set_place(list, name, device);
    // It may be anything, a GPU too.
    if (device.class_code.is_unknown()) recording.listing_complete = Known<bool>();
    recording.devices.push_back(std::move(device));
  }
  std::sort(recording.devices.begin(), recording.devices.end(),
            [](const PciDevice& a, const PciDevice& b) { return a.address < b.address; });
}

/// Where the list lacks a GPU, the name that its driver gives stays. Without a GPU nobody is going to see the names.
void read_names(const Roots& roots, std::vector<PciDevice>& devices) {
  if (!any_display_or_accelerator(devices)) return;
  constexpr std::size_t kMost = std::size_t{8} << 20;
  for (const auto& folder : roots.names) {
    const auto names = Folder::open(folder);
    const auto list = names.file("pci.ids");
    if (!list) continue;
    const auto read = [&](std::size_t at, std::span<std::uint8_t> room) {
      return at < kMost ? read_at(list, at, room) : 0;
    };
    take_names(read, std::min(kMost, static_cast<std::size_t>(names.status("pci.ids").value_or({}).size)), devices);
    return;
  }
}

}  // namespace

Result<Recording> read_live(const Roots& roots, const Rules& rules) {
  const auto sys = roots.open(roots.sys);
  if (!sys.ok()) {
    if (sys.missing()) return Error{ExitCode::no_such_input, "no such folder", roots.sys, "sysfs has to be there"};
    return Error{ExitCode::permission, "may not be opened", roots.sys, ""};
  }
  Recording recording;
  recording.live = roots.of_this_host;
  recording.direct = true;
  recording.sources.push_back({roots.sys, SourceKind::live});
  GuardedReading guarded(roots);  // forks, so before any thread
  KernelLogReading kernel_log(roots, rules);
  const auto list = sys.folder("bus/pci/devices");
  if (list.ok()) {
    read_devices(list, recording);
  } else {
    recording.warnings.push_back({"live.no-pci",
                                  list.missing() ? "The kernel shows no PCI bus here (bus/pci/devices is missing)."
                                                 : "The list of PCI devices (bus/pci/devices) may not be read.",
                                  roots.sys});
  }
  read_slots(sys, recording.devices);
  read_host(roots, recording);
  kernel_log.add_to(recording);
  guarded.add_to(recording, rules);
  read_names(roots, recording.devices);
  return recording;
}

}  // namespace gpucoop
