#include "analyse/atomics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/list.hpp"

namespace gpucoop {
namespace {

/// Why one hop blocks, or why it cannot be told. Empty strings: it lets AtomicOps through.
struct HopFinding {
  Address address;
  std::string blocks;
  std::string open;
};

Tri bit(const Known<bool>& value) { return value.is_absent() ? Tri::no : tri(value); }

HopFinding root_port_finding(const Step& step, const PciExpress& express) {
  HopFinding finding{step.address, {}, {}};
  const auto c32 = bit(express.atomic_completer32);
  const auto c64 = bit(express.atomic_completer64);
  if (c32 == Tri::no || c64 == Tri::no) {
    const auto* which = c32 == c64 ? "32- and 64-bit" : c32 == Tri::no ? "32-bit" : "64-bit";
    const auto* bits = c32 == c64 ? "bits 7 and 8" : c32 == Tri::no ? "bit 7" : "bit 8";
    finding.blocks =
        fmt::format("root port {} does not carry out {} AtomicOps for its devices (Device Capabilities 2, {} = 0)",
                    short_form(step.address), which, bits);
  } else if (c32 == Tri::unknown || c64 == Tri::unknown) {
    finding.open = fmt::format("the completer bits of root port {} (Device Capabilities 2, bits 7 and 8)",
                               short_form(step.address));
  }
  return finding;
}

HopFinding switch_port_finding(const Step& step, const PciExpress& express, bool upstream) {
  HopFinding finding{step.address, {}, {}};
  const auto routes = bit(express.atomic_routing);
  const auto egress = upstream ? bit(express.atomic_egress_block) : Tri::no;
  const auto* port = upstream ? "upstream" : "downstream";
  if (routes == Tri::no) {
    finding.blocks = fmt::format("switch {} port {} does not pass them on (Device Capabilities 2, bit 6 Routing = 0)",
                                 port, short_form(step.address));
  } else if (egress == Tri::yes) {
    finding.blocks =
        fmt::format("switch upstream port {} is set to stop them (Device Control 2, bit 7 Egress Blocking = 1)",
                    short_form(step.address));
  } else if (routes == Tri::unknown || egress == Tri::unknown) {
    finding.open = fmt::format("the Routing bit of switch {} port {} (Device Capabilities 2, bit 6)", port,
                               short_form(step.address));
  }
  return finding;
}

HopFinding finding_of(const Step& step, bool is_root_port) {
  const auto* express = step.device == nullptr ? nullptr : step.device->express.get();
  if (express == nullptr) {
    HopFinding finding{step.address, {}, {}};
    // A conventional bridge is skipped by the kernel.
    if (step.device == nullptr || step.device->express.is_unknown()) {
      finding.open = fmt::format("the PCI Express registers of {}", short_form(step.address));
    }
    return finding;
  }
  if (is_root_port) return root_port_finding(step, *express);
  if (!express->type.is_known()) {
    return {step.address, {}, fmt::format("the port type of {}", short_form(step.address))};
  }
  switch (express->type.value()) {
    case PortType::switch_upstream: return switch_port_finding(step, *express, true);
    case PortType::switch_downstream: return switch_port_finding(step, *express, false);
    default: return {step.address, {}, {}};
  }
}

struct Walk {
  std::vector<HopFinding> findings;
  bool root_port_seen = false;
  bool gap = false;
};

Walk walk_up(const Chain& chain) {
  Walk walk;
  const auto root = chain.root_port();
  walk.root_port_seen = root.has_value();
  const auto top = root.value_or(0);
  for (std::size_t i = chain.steps.size() - 1; i > top; --i) walk.gap = walk.gap || chain.steps[i].gap_above;
  for (std::size_t i = top; i + 1 < chain.steps.size(); ++i) {
    walk.findings.push_back(finding_of(chain.steps[i], root && i == *root));
  }
  return walk;
}

void judge_chain(const AtomicsCase& gpu, AtomicsJudgement& out) {
  const auto walk = walk_up(*gpu.chain);
  std::vector<std::string> blocks;
  std::vector<std::string> open;
  for (const auto& f : walk.findings) {
    if (!f.blocks.empty()) {
      out.blocking.push_back(f.address);
      blocks.push_back(f.blocks);
    } else if (!f.open.empty()) {
      open.push_back(f.open);
    }
  }
  if (!blocks.empty()) {
    out.path = Tri::no;
    out.why = list_in_words(blocks) + ".";
    return;
  }
  if (gpu.virtualized == Tri::yes) {
    out.why = fmt::format(
        "This is a virtual machine: the real path of {} is hidden, so whether AtomicOps pass cannot be told from "
        "here{}.",
        short_form(gpu.chain->steps.back().address),
        out.requester_enabled.is(true) ? ", even though the requester bit is set" : "");
    return;
  }
  if (!walk.root_port_seen) {
    out.why =
        fmt::format("No root port above {} was recognised: it takes the registers of the whole host, read as root.",
                    short_form(gpu.chain->steps.back().address));
    return;
  }
  if (walk.gap) open.push_back("the bridges that are missing between the root port and the card");
  if (!open.empty()) {
    out.why = fmt::format("What was read does not hold {}. It takes root.", list_in_words(open));
    return;
  }
  const auto root = *gpu.chain->root_port();
  const bool switches = root + 2 < gpu.chain->steps.size();
  out.path = Tri::yes;
  out.why = fmt::format("root port {} carries them out (32 and 64 bit){}.", short_form(gpu.chain->steps[root].address),
                        switches ? " and every switch port between routes them" : ", nothing lies between");
}

void judge_path_of(const AtomicsCase& gpu, AtomicsJudgement& out) {
  const auto& step = gpu.chain->steps.back();
  const auto& device = *step.device;
  const auto* express = device.express.get();
  if (gpu.lost) {
    out.why = fmt::format("{} does not answer (its configuration space reads all ones), so nothing can be read.",
                          short_form(step.address));
  } else if (gpu.virtual_function) {
    out.why = "A virtual function has no requester bit of its own: the physical function and the host decide.";
  } else if (gpu.integrated) {
    out.why = gpu.vendor == Vendor::amd
                  ? "A GPU inside the processor: its way to memory is not PCI Express, and amdgpu takes atomic "
                    "operations for granted on newer ones, whatever the PCI registers say."
                  : "A GPU inside the processor: its way to memory is not PCI Express, so there is no path to judge.";
  } else if (express != nullptr && express->type.is(PortType::integrated_endpoint)) {
    out.why = "A root-complex integrated endpoint: there is no PCI Express path to judge.";
  } else if (device.express.is_absent() && gpu.virtualized != Tri::yes) {
    out.path = Tri::no;
    out.why = fmt::format("{} is no PCI Express device, and only those have AtomicOps.", short_form(step.address));
  } else {
    judge_chain(gpu, out);
  }
}

/// amdgpu takes atomics for granted on GPUs inside processors beyond graphics core 9.0.0 (amdgpu_device.c), which are
/// all but Kaveri and those whose ids begin with 9 (Llano to Stoney Ridge).
bool granted_by_amdgpu(const AtomicsCase& gpu) {
  constexpr std::uint16_t kFirstOfKaveri = 0x1304;
  constexpr std::uint16_t kLastOfKaveri = 0x131d;
  constexpr std::uint16_t kFirstOfOld = 0x9000;
  const auto& id = gpu.chain->steps.back().device->device_id;
  if (!gpu.amdgpu_on_processor || gpu.vendor != Vendor::amd || gpu.lost || !id.is_known()) return false;
  const bool kaveri = id.value() >= kFirstOfKaveri && id.value() <= kLastOfKaveri;
  return !kaveri && id.value() < kFirstOfOld;
}

}  // namespace

AtomicsJudgement judge_atomics(const AtomicsCase& gpu) {
  AtomicsJudgement out;
  out.driver = gpu.driver == Tri::unknown && granted_by_amdgpu(gpu) ? Tri::yes : gpu.driver;
  const auto* device = gpu.chain->steps.back().device;
  const auto* express = device->express.get();
  if (express != nullptr) {
    out.requester_enabled = express->atomic_requester_enable;
  } else if (device->express.is_absent()) {
    out.requester_enabled = Known<bool>::absent();
  } else {
    out.requester_enabled = Known<bool>::unknown(device->express.reason());
  }
  judge_path_of(gpu, out);
  out.state = out.driver != Tri::unknown ? out.driver : out.path;
  if (out.driver != Tri::unknown && out.driver != out.path) {
    const auto* says = out.driver == Tri::yes ? "The driver uses AtomicOps on this card."
                                              : "The driver reports that this card has no AtomicOps.";
    out.why = fmt::format("{} {}", says, out.why);
  }
  return out;
}

}  // namespace gpucoop
