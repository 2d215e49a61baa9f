#include "analyse/surroundings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyse/virtualization.hpp"

namespace gpucoop {
namespace {

constexpr double kMebibyte = 1 << 20;

Subject of(const GpuView& view) { return {SubjectKind::gpu, {view.gpu.address}}; }

void add_option(const char* id, const char* option, const Known<bool>& value, FactList& facts) {
  facts.add(id, {SubjectKind::host, {}}, fact_value(value),
            value.is_known()
                ? fmt::format("the kernel is built {} {}", value.value() ? "with" : "without", option)
                : fmt::format("{} stands in /proc/config.gz or /boot/config-RELEASE; neither was read", option));
}

Known<FactValue> mebibytes(const Known<std::uint64_t>& bytes) {
  if (!bytes.is_known()) return fact_value(bytes);
  return FactValue(static_cast<double>(bytes.value()) / kMebibyte);
}

std::string size_evidence(const char* what, const Known<std::uint64_t>& bytes, const char* otherwise) {
  if (bytes.is_known()) return fmt::format("{}: {} bytes", what, bytes.value());
  return fmt::format("{}: {}", what, bytes.is_absent() ? "unlimited" : otherwise);
}

/// Channels of IMEX are for several hosts, and /dev/dxg is Windows'.
bool is_needed(const DeviceNode& node) {
  return node.path != "/dev/dxg" && node.path.rfind("/dev/nvidia-caps", 0) != 0;
}

/// The nodes that a program opens to use a GPU.
std::vector<const DeviceNode*> nodes_of(const Gpu& gpu, const HostReading& host) {
  std::vector<const DeviceNode*> nodes;
  for (const auto& node : host.nodes) {
    if (!is_needed(node)) continue;
    const bool nvidia = node.path.rfind("/dev/nvidia", 0) == 0;
    const bool own = node.device.is(gpu.address) && nvidia == (gpu.vendor == Vendor::nvidia);
    const bool shared = nvidia ? gpu.vendor == Vendor::nvidia && !node.device.is_known()
                               : node.device.is_absent() && gpu.vendor == Vendor::amd && gpu.driver.is("amdgpu");
    if (own || shared) nodes.push_back(&node);
  }
  return nodes;
}

/// A node is made when it is first needed by a helper with the rights to do so (nvidia-modprobe).
bool appears_when_needed(const DeviceNode& node) { return node.mode.is_absent() && node.path == "/dev/nvidia-uvm"; }

Known<bool> may_open(const std::vector<const DeviceNode*>& nodes) {
  if (nodes.empty()) return {};
  Known<bool> all = true;
  for (const auto* node : nodes) {
    if (appears_when_needed(*node)) continue;
    if (node->may_open.is(false)) return false;
    if (!node->may_open.is_known()) all = node->may_open;
  }
  return all;
}

std::string node_evidence(const std::vector<const DeviceNode*>& nodes) {
  if (nodes.empty()) return "no device node of the GPU was looked at";
  std::string text;
  for (const auto* node : nodes) {
    if (!text.empty()) text += ", ";
    text += node->path;
    if (node->mode.is_absent()) text += " (missing)";
    if (node->mode.is_known()) text += fmt::format(" (mode {:04o})", node->mode.value());
  }
  return text;
}

struct Errors {
  std::uint64_t correctable = 0;
  std::uint64_t uncorrectable = 0;
  [[nodiscard]] std::uint64_t total() const { return correctable + uncorrectable; }
};

Errors errors_of(const PciDevice& device) {
  Errors errors;
  if (const auto* counters = device.aer_counters.get()) {
    errors.correctable = counters->correctable.value_or(0);
    errors.uncorrectable = counters->non_fatal.value_or(0) + counters->fatal.value_or(0);
  }
  return errors;
}

void add_errors(const GpuView& view, FactList& facts) {
  std::uint64_t total = 0;
  std::size_t counting = 0;
  std::vector<Address> at;
  std::string evidence;
  for (const auto& step : view.chain.steps) {
    if (step.device == nullptr || !step.device->aer_counters.is_known()) continue;
    ++counting;
    const auto errors = errors_of(*step.device);
    if (errors.total() == 0) continue;
    total += errors.total();
    at.push_back(step.address);
    evidence += fmt::format("{}{} {} correctable, {} uncorrectable", evidence.empty() ? "" : "; ",
                            short_form(step.address), errors.correctable, errors.uncorrectable);
  }
  if (counting == 0) {
    facts.add("link.errors", of(view), Known<FactValue>(),
              "the kernel keeps no error counters (aer_dev_*) for the ports of this chain, or they were not read");
    return;
  }
  facts.add(
      "link.errors", of(view), FactValue(static_cast<double>(total)),
      evidence.empty() ? fmt::format("the kernel's counters (aer_dev_*) of {} function(s) are 0", counting) : evidence,
      std::move(at));
}

void add_slot(const GpuView& view, const std::optional<FirmwareSlotMatch>& match, const HostReading& host,
              FactList& facts) {
  std::string evidence = "no slot of the firmware's table, of the kernel or of the port's registers fits";
  if (view.gpu.integrated) {
    evidence = "the GPU is inside the processor";
  } else if (match && view.gpu.slot.is(match->slot->designation)) {
    evidence = fmt::format("the firmware says {} ({})", match->slot->designation, to_string(match->by));
  } else if (view.gpu.slot.is_known()) {
    evidence = "named by the kernel or by the port that the card is plugged into";
  } else if (host.slots.is_unknown()) {
    evidence += "; the firmware's table was not read";
  }
  auto value = fact_value(view.gpu.slot);
  if (value.is_unknown() && host.slots.is_unknown()) value = Known<FactValue>::unknown(host.slots.reason());
  facts.add("slot.name", of(view), value, evidence);
}

/// Who may open it, in words: the group that the node belongs to.
std::string remedy_words(const DeviceNode& node, const HostReading& host) {
  const bool nvidia = node.path.rfind("/dev/nvidia", 0) == 0;
  const auto given = (nvidia ? "docker run --gpus all, or --device " : "--device ") + node.path;
  if (node.mode.is_absent()) {
    if (host.container.is_known()) return "Give it to the container (" + given + ").";
    return nvidia ? "nvidia-modprobe makes it: sudo nvidia-modprobe -u -c 0." : "The driver or udev has not made it.";
  }
  constexpr unsigned kForAll = 0006;
  if ((node.mode.value_or(0) & kForAll) == kForAll) {
    // The permissions let everybody: then it is the control group that does not (security/device_cgroup.c).
    return host.container.is_known()
               ? "Its control group forbids it, though its mode does not: give it to the container (" + given + ")."
               : "Its control group forbids it, though its mode does not: allow it to the service (DeviceAllow=).";
  }
  if (node.group.is("root") || !node.group.is_known()) return "Only root may; see the udev rules of the driver.";
  return fmt::format("Join the group: sudo usermod -aG {} $USER, then log in again.", node.group.value());
}

/// CUDA on WSL User Guide, Known Limitations; NCCL src/transport/p2p.cc (Legacy IPC not supported).
std::string wsl_words(const HostReading& host) {
  const auto dxg = std::find_if(host.nodes.begin(), host.nodes.end(),
                                [](const DeviceNode& node) { return node.path == "/dev/dxg"; });
  if (dxg != host.nodes.end() && dxg->mode.is_absent()) {
    return "This is WSL, and Windows gives it no GPU (there is no /dev/dxg): update WSL (wsl --update in Windows) and "
           "install a driver in Windows that knows WSL; none is installed in Linux.";
  }
  return "This is WSL: Windows lends its GPUs through /dev/dxg and hides what they are, their bridges, links and "
         "drivers, and processes cannot open each other's GPU memory (CUDA's IPC). nvidia-smi in Windows shows the "
         "links; to use several GPUs together, start Linux itself on the machine.";
}

}  // namespace

void add_surrounding_facts(const HostReading& host, FactList& facts) {
  const Subject subject{SubjectKind::host, {}};
  add_option("kernel.p2pdma", "CONFIG_PCI_P2PDMA", host.config_p2pdma, facts);
  add_option("kernel.hsa_amd_p2p", "CONFIG_HSA_AMD_P2P", host.config_hsa_amd_p2p, facts);
  facts.add("kernel.log", subject, fact_value(host.kernel_log),
            host.kernel_log.is(true)    ? "the kernel log was read to its beginning"
            : host.kernel_log.is(false) ? "the kernel has overwritten the beginning of its log"
            : host.kernel_log.is_unknown() && host.kernel_log.reason() == Reason::no_root
                ? "the kernel lets only root read its log (kernel.dmesg_restrict)"
                : "no whole kernel log was read");
  facts.add("host.shm", subject, mebibytes(host.shm_bytes), size_evidence("/dev/shm", host.shm_bytes, "not read"));
  facts.add("host.memlock", subject, mebibytes(host.memlock_bytes),
            size_evidence("soft limit on locked memory", host.memlock_bytes, "not read"));
  facts.add("host.container", subject, fact_value(host.container),
            host.container.is_known()    ? "by what its runtime leaves there"
            : host.container.is_absent() ? "nothing of a container runtime was found"
                                         : "nobody looked for a container");
}

void add_surrounding_facts(const GpuView& view, const std::optional<FirmwareSlotMatch>& slot, const HostReading& host,
                           FactList& facts) {
  add_slot(view, slot, host, facts);
  add_errors(view, facts);
  const auto nodes = nodes_of(view.gpu, host);
  facts.add("gpu.node_access", of(view), fact_value(may_open(nodes)), node_evidence(nodes));
}

std::vector<Warning> surrounding_findings(const std::vector<GpuView>& views, const HostReading& host) {
  std::vector<Warning> findings;
  if (is_wsl(host)) findings.push_back({"host.wsl", wsl_words(host), {}});
  std::vector<const DeviceNode*> closed;
  std::vector<const PciDevice*> faulty;
  for (const auto& view : views) {
    if (!view.gpu.compute) continue;
    for (const auto* node : nodes_of(view.gpu, host)) {
      if (!node->may_open.is(false) || appears_when_needed(*node)) continue;
      if (std::find(closed.begin(), closed.end(), node) == closed.end()) closed.push_back(node);
    }
    for (const auto& step : view.chain.steps) {
      if (step.device == nullptr || errors_of(*step.device).total() == 0) continue;
      if (std::find(faulty.begin(), faulty.end(), step.device) == faulty.end()) faulty.push_back(step.device);
    }
  }
  for (const auto* node : closed) {
    const auto* what = node->mode.is_absent() ? "There is no {} here, so no program can use the GPU. {}"
                                              : "You may not open {}, so your programs cannot use the GPU. {}";
    findings.push_back({"host.node-access", fmt::format(fmt::runtime(what), node->path, remedy_words(*node, host)),
                        node->device.is_known() ? to_string(node->device.value()) : std::string()});
  }
  for (const auto* device : faulty) {
    const auto errors = errors_of(*device);
    findings.push_back(
        {"link.errors",
         fmt::format("The kernel has counted {} correctable and {} uncorrectable PCI Express errors at {} since it "
                     "started: look at the riser, the slot and how the card is seated, and read again later to see "
                     "whether they grow.",
                     errors.correctable, errors.uncorrectable, short_form(device->address)),
         to_string(device->address)});
  }
  return findings;
}

}  // namespace gpucoop
