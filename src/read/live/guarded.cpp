#include "read/live/guarded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "read/live/device.hpp"
#include "read/live/driver_attributes.hpp"
#include "read/live/holders/holders.hpp"
#include "read/live/holders/processes.hpp"
#include "read/live/kernel_build.hpp"
#include "read/live/kfd.hpp"
#include "read/live/kfd_topology.hpp"
#include "read/live/reports.hpp"

namespace gpucoop {
namespace {

using End = ChildReading::End;

/// The class that the kernel remembers is enough, and asking for it wakes no device.
std::vector<Address> find_gpus(const Folder& sys) {
  std::vector<Address> gpus;
  const auto list = sys.folder("bus/pci/devices");
  for (const auto& name : list.names()) {
    const auto address = parse_address(name);
    if (address && is_display_or_accelerator(read_class(list.folder(name)))) gpus.push_back(*address);
  }
  return gpus;
}

void read_all(const Roots& roots, ChildOutput& output) {
  Reports reports(output);
  const auto sys = roots.open(roots.sys);
  const auto gpus = find_gpus(sys);
  if (gpus.empty()) return;
  read_kernel_build(roots, reports);
  read_kfd_topology(sys, reports);
  read_driver_attributes(sys, gpus, reports);
  read_processes(sys, roots.open(roots.proc), roots.open(roots.etc), reports);
}

void warn(const ChildReading& reading, Recording& recording) {
  const auto what = reading.last.empty() ? std::string("what GPU drivers say") : reading.last;
  std::string text;
  switch (reading.end) {
    case End::finished: break;
    case End::timeout:
      text = fmt::format("Reading {} did not return in time; it and what was to be read after it are unknown.", what);
      break;
    case End::too_much: text = fmt::format("Reading ended at {}: there was too much to take.", what); break;
    case End::failed:
      text =
          "What GPU drivers say, and who uses the GPUs, was not read: the process that reads it "
          "could not be started or died.";
      break;
  }
  if (!text.empty()) recording.warnings.push_back({"live.reader-ended", text, {}});
  if (reading.stuck == 0) return;
  recording.warnings.push_back(
      {"live.reader-stuck",
       fmt::format("Process {} (gpucoop-reader) hangs inside the kernel while it reads {} and cannot be ended. A GPU "
                   "driver that does not answer does this; the process goes when the driver answers, or with the next "
                   "start of the host.",
                   reading.stuck, what),
       {}});
}

/// KFD knows who computes through it, and not who does so through DRM alone (Vulkan, OpenGL): these show by the memory
/// that they use. A driver keeps some for itself, up to 300 MiB on large cards. What sleeps nobody uses.
bool is_listed(const PciDevice& device, const DriverAttributes& attributes) {
  constexpr std::uint64_t kIdle = std::uint64_t{512} << 20U;
  if (!device.kfd.is_known()) return false;
  const auto& used = attributes.used_vram;
  return used.is_known() ? used.value() < kIdle : used.is_unknown() && used.reason() == Reason::asleep;
}

}  // namespace

GuardedReading::GuardedReading(const Roots& roots, const ChildLimits& limits)
    : child_([&roots](ChildOutput& output) { read_all(roots, output); }, limits) {}

void GuardedReading::add_to(Recording& recording, const Rules& rules) {
  if (!any_display_or_accelerator(recording.devices)) return;
  const auto reading = child_.take();
  KfdTopology topology;
  HolderFindings findings;
  std::vector<DriverAttributes> attributes;
  std::vector<DeviceNodes> nodes;
  for (const auto& message : reading.messages) {
    if (take_kernel_build(message, recording.host) || topology.take(message) || findings.take(message)) continue;
    if (topic_of(message) == Topic::driver_attributes) attributes.push_back(unpacked<DriverAttributes>(message));
    if (topic_of(message) == Topic::device_nodes) nodes.push_back(unpacked<DeviceNodes>(message));
  }
  const auto missing = reading.end == End::timeout ? Reason::timeout : Reason::not_in_input;
  apply_kfd(topology, missing, recording);
  for (auto& device : recording.devices) {
    if (device.driver.is("amdgpu")) device.vram_bytes = Known<std::uint64_t>::unknown(missing);
  }
  for (const auto& of : nodes) apply_device_nodes(of, recording);
  for (const auto& of : attributes) apply_driver_attributes(of, recording);
  findings.apply(topology, nodes, rules, missing, recording);
  if (findings.kfd_lists_all()) {
    for (const auto& of : attributes) {
      const auto* device = find_device(recording, of.address);
      if (device != nullptr && is_listed(*device, of)) recording.listed_by_driver.push_back(of.address);
    }
  }
  warn(reading, recording);
}

}  // namespace gpucoop
