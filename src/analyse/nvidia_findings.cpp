#include "analyse/nvidia_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/list.hpp"

namespace gpucoop {
namespace {

std::string list(const std::vector<Address>& addresses) {
  return list_in_words(addresses, [](const Address& address) { return short_form(address); });
}

class Finder {
 public:
  Finder(const Recording& recording, const std::vector<GpuView>& views) : recording_(recording), host_(recording.host) {
    for (const auto& view : views) {
      if (view.gpu.vendor == Vendor::nvidia && view.gpu.compute) gpus_.push_back(&recording.devices[view.index]);
    }
  }

  std::vector<Warning> run() {
    const auto served = chosen([](const PciDevice& d) { return d.driver.is("nvidia"); });
    if (gpus_.empty()) {
      without_gpu();
    } else if (served.empty()) {
      taken_by_others();
    }
    if (served.empty()) return std::move(findings_);
    hidden();
    split();
    versions();
    fabric();
    channels();
    return std::move(findings_);
  }

 private:
  template <class F>
  [[nodiscard]] std::vector<Address> chosen(F&& fits) const {
    std::vector<Address> addresses;
    for (const auto* gpu : gpus_) {
      if (fits(*gpu)) addresses.push_back(gpu->address);
    }
    return addresses;
  }

  void tell(const char* code, std::string text, const std::vector<Address>& where = {}) {
    findings_.push_back({code, std::move(text), where.empty() ? std::string() : to_string(where.front())});
  }

  [[nodiscard]] const KernelModule* module() const {
    const auto& all = host_.modules;
    const auto found = std::find_if(all.begin(), all.end(), [](const KernelModule& m) { return m.name == "nvidia"; });
    return found == all.end() ? nullptr : &*found;
  }

  void without_gpu() {
    if (module() == nullptr || !recording_.listing_complete.is(true)) return;
    tell("nvidia.no-gpu",
         "NVIDIA's driver is loaded, and no NVIDIA GPU is on the bus: it has fallen off, is switched off, or a "
         "hypervisor has not passed it. Power the host off and on, reseat the card, and look for Xid 79 in dmesg.");
  }

  void taken_by_others() {
    const auto others = chosen([](const PciDevice& d) { return d.driver.is_known(); });
    if (module() == nullptr || others.empty()) return;
    const auto* first = find_device(recording_, others.front());
    tell("nvidia.other-driver",
         fmt::format("NVIDIA's driver is loaded and has no GPU: {} {} taken by {}. Blacklist nouveau, or take the card "
                     "out of vfio-pci's ids, and reboot.",
                     list(others), others.size() == 1 ? "is" : "are", first->driver.value()),
         others);
  }

  void hidden() {
    const auto addresses = chosen([](const PciDevice& d) { return d.nvidia.is_absent(); });
    if (addresses.empty()) return;
    const char* const next =
        host_.container.is_known()
            ? "the container was given only some of the GPUs: start it with --gpus all (NVIDIA_VISIBLE_DEVICES=all; in "
              "Kubernetes nvidia.com/gpu: N) where it is to use them together"
            : "look in dmesg for lines of NVRM, which say why the driver did not start it";
    tell("nvidia.hidden",
         fmt::format("NVIDIA's driver lists its GPUs here, and {} {} not among them: {}.", list(addresses),
                     addresses.size() == 1 ? "is" : "are", next),
         addresses);
  }

  void split() {
    const auto addresses =
        chosen([](const PciDevice& d) { return d.nvidia.is_known() && d.nvidia.value().mig.is(true); });
    if (addresses.empty()) return;
    tell("nvidia.mig",
         fmt::format("{} {} split into MIG instances: no instance reaches the memory of another GPU or instance, and a "
                     "program sees one of them only. To have the whole GPU again: stop what uses it, then sudo "
                     "nvidia-smi -i {} -mig 0.",
                     list(addresses), addresses.size() == 1 ? "is" : "are", to_string(addresses.front())),
         addresses);
  }

  void versions() {
    const auto& library = host_.cuda_library;
    if (library.is_absent()) {
      tell("nvidia.no-library",
           std::string("None of the usual folders has libcuda.so.1, through which programs use NVIDIA's driver: ") +
               (host_.container.is_known()
                    ? "start the container with NVIDIA's runtime (docker run --gpus all), which mounts it; "
                      "NVIDIA_DRIVER_CAPABILITIES must have compute and utility."
                    : "install the part of the driver that is not in the kernel (libcuda1, nvidia-driver-cuda, "
                      "nvidia-utils or libnvidia-compute, by distribution), of the module's version."));
    }
    const auto* loaded = module();
    if (loaded == nullptr || !loaded->version.is_known() || !library.is_known()) return;
    if (loaded->version.value() == library.value()) return;
    tell("nvidia.version-mismatch",
         fmt::format("The loaded kernel module is version {} and libcuda.so.1 is version {}: programs fail with "
                     "\"Driver/library version mismatch\". {}.",
                     loaded->version.value(), library.value(),
                     host_.container.is_known()
                         ? "The container has a library of its own: take it out, so that NVIDIA's runtime mounts the "
                           "host's; or update the driver on the host"
                         : "After an update of the driver reboot, or unload the nvidia modules and load them again"));
  }

  void fabric() {
    if (!host_.fabric_manager.is(false)) return;
    tell("nvidia.fabric-manager",
         "There are NVSwitches, and the fabric manager that sets them up does not run: CUDA does not start (error 802, "
         "system not yet initialized). sudo systemctl enable --now nvidia-fabricmanager, of exactly the driver's "
         "version.");
  }

  void channels() {
    for (const auto& node : host_.nodes) {
      if (node.path != "/dev/nvidia-caps-imex-channels/channel0" || !node.mode.is_absent()) continue;
      tell("nvidia.imex-channel",
           std::string("NVLink over several hosts (IMEX) is set up here, and there is no IMEX channel: sharing memory "
                       "over it fails with \"operation not permitted\". ") +
               (host_.container.is_known()
                    ? "Give the container one: NVIDIA_IMEX_CHANNELS=0."
                    : "Load the module with NVreg_CreateImexChannel0=1 (/etc/modprobe.d), or make " + node.path +
                          " with mknod; within one host NCCL_MNNVL_ENABLE=0 does without."));
    }
  }

  const Recording& recording_;
  const HostReading& host_;
  std::vector<const PciDevice*> gpus_;
  std::vector<Warning> findings_;
};

}  // namespace

std::vector<Warning> nvidia_findings(const Recording& recording, const std::vector<GpuView>& views) {
  return Finder(recording, views).run();
}

}  // namespace gpucoop
