#include "read/live/nvidia.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "read/live/device.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::string_view kCuda = "libcuda.so.";

/// Where distributions, the container toolkit, NixOS and WSL have it.
constexpr std::array<const char*, 8> kFolders = {
    "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64",      "usr/lib64/nvidia", "usr/lib",
    "usr/local/nvidia/lib64",   "run/opengl-driver/lib",     "usr/lib/wsl/lib"};

bool is_nvidias(const PciDevice& device) { return device.driver.is("nvidia"); }

bool is_nvswitch(const PciDevice& device) { return device.vendor_id.is(0x10de) && device.class_code.is(0x0680); }

/// `580.159.04` of `libcuda.so.580.159.04`; empty for `libcuda.so.1`.
std::string_view version_of(std::string_view file) {
  if (!starts_with(file, kCuda)) return {};
  const auto version = file.substr(kCuda.size());
  return version.find('.') == std::string_view::npos ? std::string_view() : version;
}

/// Follows the links of a library, which lead to the file that has the version in its name.
Known<std::string> version_in(const Folder& top, std::string folder, std::string name) {
  constexpr int kMostLinks = 6;
  for (int i = 0; i < kMostLinks; ++i) {
    const auto at = top.folder(folder);
    if (const auto version = version_of(name); !version.empty() && !at.status(name.c_str()).is_absent()) {
      return std::string(version);
    }
    const auto target = at.link(name.c_str());
    if (!target.is_known())
      return at.status(name.c_str()).is_absent() ? Known<std::string>::absent() : Known<std::string>();
    const auto& to = target.value();
    const auto slash = to.rfind('/');
    name = slash == std::string::npos ? to : to.substr(slash + 1);
    if (slash == std::string::npos) continue;
    folder = to.front() == '/' ? to.substr(1, slash == 0 ? 0 : slash - 1) : folder + "/" + to.substr(0, slash);
  }
  return {};
}

Known<std::string> cuda_library(const Roots& roots) {
  const auto top = roots.open(roots.top);
  Known<std::string> found;
  bool opaque = false;
  for (const auto* folder : kFolders) {
    if (!top.folder(folder).ok()) continue;
    const auto version = version_in(top, folder, "libcuda.so.1");
    if (version.is_known()) return version;
    opaque = opaque || version.is_unknown();
    if (!opaque) found = Known<std::string>::absent();
  }
  if (opaque) return {};
  // The loader may know of another folder.
  constexpr std::size_t kMostCache = std::size_t{8} << 20U;
  const auto cache = roots.open(roots.etc).bytes("ld.so.cache", kMostCache).value_or("");
  if (found.is_absent() && cache.find("/libcuda.so.1") != std::string::npos) return {};
  return found;
}

}  // namespace

void read_nvidia(const Roots& roots, Recording& recording) {
  const auto& devices = recording.devices;
  auto& host = recording.host;
  if (!any_display_or_accelerator(devices)) {
    // Nobody reads the other modules then; a driver whose GPU has gone is worth knowing.
    const auto module = roots.open(roots.sys).folder("module/nvidia");
    if (module.ok()) host.modules.push_back({"nvidia", module.text("version")});
    return;
  }
  if (std::none_of(devices.begin(), devices.end(), is_nvidias)) return;
  host.cuda_library = cuda_library(roots);
  if (std::none_of(devices.begin(), devices.end(), is_nvswitch)) return;
  const auto run = roots.open(roots.run);
  // A container has a /run of its own.
  if (!run.ok() || !host.container.is_absent()) return;
  host.fabric_manager = !run.folder("nvidia-fabricmanager").status("nv-fabricmanager.pid").is_absent();
}

void apply_nvidia(const std::vector<NvidiaGpu>& gpus, Recording& recording) {
  auto& nodes = recording.host.nodes;
  // Where the driver's common node is not there either, that is what is missing.
  const bool shown = std::any_of(nodes.begin(), nodes.end(),
                                 [](const DeviceNode& n) { return n.path == "/dev/nvidiactl" && n.mode.is_known(); });
  for (const auto& gpu : gpus) {
    auto* device = find_device(recording, gpu.address);
    if (device == nullptr) continue;
    if (!device->name.is_known() && !gpu.model.empty()) device->name = gpu.model;
    device->nvidia = NvidiaReading{{}, gpu.mig};
    if (!gpu.minor.is_known()) continue;
    device->nvidia = NvidiaReading{gpu.minor.value(), gpu.mig};
    const auto path = "/dev/nvidia" + std::to_string(gpu.minor.value());
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const DeviceNode& n) { return n.path == path; });
    if (node != nodes.end()) {
      node->device = gpu.address;
    } else if (shown) {
      nodes.push_back({path, Known<unsigned>::absent(), false, gpu.address, Known<std::string>::absent()});
    }
  }
  if (gpus.empty()) return;
  for (auto& device : recording.devices) {
    const bool gpu = device.class_code.is_known() && is_display_or_accelerator(device.class_code);
    if (gpu && is_nvidias(device) && !device.nvidia.is_known()) device.nvidia = Known<NvidiaReading>::absent();
  }
}

}  // namespace gpucoop
