#include "analyse/gpu_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyse/driver.hpp"

namespace gpucoop {
namespace {

Subject of(const GpuView& view) { return {SubjectKind::gpu, {view.gpu.address}}; }

std::string bit_evidence(const FactList& facts, const PciDevice& device, const char* reg, int bit,
                         const Known<bool>& value) {
  const auto a = short_form(device.address);
  if (value.is_known())
    return fmt::format("{} {} bit {} = {}{}", a, reg, bit, value.value() ? 1 : 0, facts.cite(device));
  if (value.is_absent()) return fmt::format("{} has no {}{}", a, reg, facts.cite(device));
  return fmt::format("{} {} was not read{}", a, reg, facts.cite(device));
}

void add_identity(const GpuView& view, FactList& facts) {
  const auto& gpu = view.gpu;
  const auto& device = *view.chain.steps.back().device;
  const auto a = short_form(gpu.address);
  const auto cite = facts.cite(device);
  facts.add("gpu.vendor", of(view), fact_text(to_string(gpu.vendor)),
            gpu.vendor_id.is_known() ? fmt::format("{} vendor id {:04x}{}", a, gpu.vendor_id.value(), cite)
                                     : fmt::format("{} by its name{}", a, cite));
  facts.add("gpu.name", of(view), fact_value(gpu.name), fmt::format("{}{}", a, cite));
  const auto ids = gpu.vendor_id.and_then([&](std::uint16_t vendor) {
    return gpu.device_id.and_then([&](std::uint16_t device_id) {
      return Known<FactValue>(fact_text(fmt::format("{:04x}:{:04x}", vendor, device_id)));
    });
  });
  facts.add(
      "gpu.device", of(view), ids,
      ids.is_known() ? fmt::format("{}{}", a, cite) : fmt::format("the ids of {} are not in the input{}", a, cite));
  facts.add("gpu.compute", of(view), FactValue(gpu.compute),
            gpu.compute ? fmt::format("{}{}", a, cite) : fmt::format("{} only drives a display{}", a, cite));
  facts.add("gpu.integrated", of(view), FactValue(gpu.integrated),
            fmt::format("{} {}{}", a,
                        gpu.integrated ? "is inside the processor" : "is not known to be inside the processor", cite));
  facts.add("gpu.present", of(view), FactValue(!gpu.lost),
            gpu.lost ? fmt::format("{} configuration space reads all ones{}", a, cite)
                     : fmt::format("{} answers{}", a, cite));
  auto virtual_function = Known<bool>::unknown(Reason::not_in_input);
  if (gpu.virtual_function) {
    virtual_function = true;
  } else if (device.physical_function.is_absent()) {
    virtual_function = false;
  }
  facts.add("gpu.virtual_function", of(view), fact_value(virtual_function), fmt::format("{}{}", a, cite));
  const auto use = driver_use(device);
  facts.add("gpu.driver", of(view), fact_value(gpu.driver), use.evidence + cite);
  facts.add("gpu.driver_usable", of(view), fact_value(use.usable), use.evidence + cite);
}

std::string path_evidence(const GpuView& view, const FactList& facts) {
  const auto& atomics = view.gpu.atomics;
  std::string text;
  for (const auto& step : view.chain.steps) {
    if (std::find(atomics.blocking.begin(), atomics.blocking.end(), step.address) == atomics.blocking.end()) continue;
    const auto* express = step.device == nullptr ? nullptr : step.device->express.get();
    if (express == nullptr) continue;
    if (!text.empty()) text += "; ";
    if (express->type.is(PortType::root_port)) {
      text += bit_evidence(
          facts, *step.device, "DevCap2", express->atomic_completer32.is(true) ? 8 : 7,
          express->atomic_completer32.is(true) ? express->atomic_completer64 : express->atomic_completer32);
    } else if (!express->atomic_routing.is(true)) {
      text += bit_evidence(facts, *step.device, "DevCap2", 6, express->atomic_routing);
    } else {
      text += bit_evidence(facts, *step.device, "DevCtl2", 7, express->atomic_egress_block);
    }
  }
  return text.empty() ? atomics.why : text;
}

/// Why the PCI Express registers of a device are not known, where a link attribute may still be.
Reason why_unread(const PciDevice& device) {
  if (device.express.is_unknown()) return device.express.reason();
  const auto* express = device.express.get();
  return express != nullptr && express->type.is_unknown() ? express->type.reason() : Reason::not_in_input;
}

void add_atomics(const GpuView& view, Tri virtualized, FactList& facts) {
  const auto& atomics = view.gpu.atomics;
  const auto& device = *view.chain.steps.back().device;
  auto reason = view.gpu.lost ? Reason::device_lost : virtualized == Tri::yes ? Reason::vm : Reason::not_in_input;
  if (const auto why = why_unread(device); why != Reason::not_in_input) reason = why;
  facts.add("atomics.path", of(view), fact_value(atomics.path, reason), path_evidence(view, facts), atomics.blocking);
  if (device.driver_atomics.is_known()) {
    facts.add("atomics.driver", of(view), fact_value(device.driver_atomics),
              fmt::format("KFD's link from {} to its processor {} atomic operations{}", short_form(device.address),
                          device.driver_atomics.value() ? "has" : "is marked as without", facts.cite(device)),
              {}, Tier::queried);
  } else {
    facts.add("atomics.driver", of(view),
              atomics.driver == Tri::unknown ? fact_value(device.driver_atomics)
                                             : fact_value(atomics.driver, Reason::not_in_input),
              atomics.driver == Tri::unknown ? "no kernel line or driver attribute about this card was read"
                                             : "the driver's own statement");
  }
  auto enabled = atomics.requester_enabled;
  facts.add("atomics.requester_enabled", of(view), fact_value(enabled),
            bit_evidence(facts, device, "DevCtl2", 6, enabled));
  facts.add("atomics.state", of(view), fact_value(atomics.state, reason), atomics.why, atomics.blocking);
}

void add_link(const GpuView& view, FactList& facts) {
  const auto& link = view.gpu.link;
  const auto slowest = link.at.is_known() ? std::vector<Address>{link.at.value()} : std::vector<Address>{};
  facts.add("link.rate", of(view), fact_value(link.gbytes_per_s), link.why, slowest);
  facts.add("link.ceiling", of(view), fact_value(link.ceiling_gbytes_per_s), link.why, slowest);
  facts.add("link.card", of(view), fact_value(link.card_gbytes_per_s),
            fmt::format("{}: Link Capabilities of the card's own edge", short_form(view.gpu.address)));
  if (link.state == LinkState::unknown) {
    facts.add("link.state", of(view), Known<FactValue>::unknown(Reason::not_derivable), link.why);
  } else {
    facts.add("link.state", of(view), fact_text(to_string(link.state)), link.why, slowest);
  }
}

bool identified(const Step& step) {
  return step.device != nullptr && (step.device->device_id.is_known() || step.device->name.is_known());
}

void add_path(const GpuView& view, Tri virtualized, FactList& facts) {
  const auto& chain = view.chain;
  const auto top = short_form(chain.steps.front().address);
  facts.add("path.complete", of(view), FactValue(chain.reaches_root() && !chain.has_gap),
            chain.has_gap          ? "bridges between were not read"
            : chain.reaches_root() ? fmt::format("the chain starts at {}", top)
                                   : fmt::format("what is above {} was not read", top));
  const auto chipset =
      std::find_if(chain.steps.begin(), chain.steps.end(), [](const Step& step) { return step.chipset; });
  if (chipset != chain.steps.end()) {
    facts.add("path.cpu_attached", of(view), FactValue(false),
              fmt::format("{} is a port of the chipset", short_form(chipset->address)), {chipset->address});
    return;
  }
  const bool all_identified = std::all_of(chain.steps.begin(), chain.steps.end(), identified);
  if (virtualized == Tri::yes) {
    facts.add("path.cpu_attached", of(view), Known<FactValue>::unknown(Reason::vm), "a virtual machine hides the path");
  } else if (chain.reaches_root() && !chain.has_gap && all_identified) {
    facts.add("path.cpu_attached", of(view), FactValue(true), "no bridge of the chain is a known chipset");
  } else {
    facts.add("path.cpu_attached", of(view), Known<FactValue>::unknown(Reason::not_in_input),
              "the bridges up to the root were not all read");
  }
}

void add_bars(const GpuView& view, FactList& facts) {
  const auto& device = *view.chain.steps.back().device;
  const auto a = short_form(device.address);
  facts.add("bar.size", of(view), fact_value(view.gpu.bar_bytes),
            fmt::format("{}: largest memory BAR{}", a, facts.cite(device)));
  std::uint64_t most = 0;
  for (const auto& bar : device.resizable_bars) {
    for (const auto size : bar.supported) most = std::max(most, size);
  }
  const auto value = most == 0 ? Known<FactValue>::unknown(Reason::not_in_input)
                               : Known<FactValue>(FactValue(static_cast<double>(most)));
  facts.add("bar.resizable_max", of(view), value, fmt::format("{}: Resizable BAR capability{}", a, facts.cite(device)));
}

}  // namespace

void add_gpu_facts(const GpuView& view, Tri virtualized, FactList& facts) {
  add_identity(view, facts);
  add_atomics(view, virtualized, facts);
  add_link(view, facts);
  add_path(view, virtualized, facts);
  add_bars(view, facts);
}

}  // namespace gpucoop
