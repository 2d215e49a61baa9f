#include "analyse/driver_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analyse/catalogue.hpp"

namespace gpucoop {
namespace {

/// As LLVM spells it: stepping (and minor) in hexadecimal, so that 90010 is gfx90a.
std::string gfx_name(std::uint32_t version) {
  return fmt::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

template <class T, class F>
Known<FactValue> of_kfd(const PciDevice& device, Known<T> KfdReading::*member, F convert) {
  return device.kfd.and_then([&](const KfdReading& kfd) {
    return (kfd.*member).and_then([&](const T& value) { return Known<FactValue>(FactValue(convert(value))); });
  });
}

std::string left_out_evidence(const GpuView& view) {
  const auto a = short_form(view.gpu.address);
  const auto left_out = fmt::format("KFD, amdgpu's compute driver, lists its GPUs, and {} is none of them", a);
  if (view.gpu.atomics.state == Tri::no) {
    return left_out +
           "; the likely cause is that AtomicOps do not reach the CPU and this card's firmware needs them (the kernel "
           "log then says `skipped device` and `PCI rejects atomics`)";
  }
  return left_out + "; the kernel log says why (lines with `kfd kfd:`)";
}

std::string by_id(const std::string& gpu, const DeviceRule& chip) {
  return fmt::format("{} is {}, by its device id or name", gpu, chip.title);
}

void add_compute_capability(const Subject& subject, const DeviceRule* chip, const std::string& gpu, FactList& facts) {
  if (chip != nullptr && chip->compute_capability) {
    facts.add("gpu.compute_capability", subject, FactValue(*chip->compute_capability), by_id(gpu, *chip));
  } else {
    facts.add("gpu.compute_capability", subject, Known<FactValue>::unknown(Reason::not_in_input),
              fmt::format("the chip of {} is not in the list", gpu));
  }
}

/// The compute driver lists the GPU and all others, and their links.
bool listed_whole(const PciDevice& device) { return device.kfd.is_known() && device.kfd.value().partitions.is_known(); }

Known<FactValue> link_between(const Recording& recording, const Address& from, const Address& to,
                              const std::map<std::pair<Address, Address>, const DriverLink*>& links,
                              std::string& evidence) {
  const auto found = links.find({from, to});
  if (found != links.end()) {
    const auto& link = *found->second;
    evidence =
        fmt::format("KFD lists a link over {} from {} to {}", to_string(link.kind), short_form(from), short_form(to));
    if (link.weight.is_known()) evidence += fmt::format(", weight {}", link.weight.value());
    if (link.peer_dma.is(false)) evidence += ", flagged as one without peer-to-peer DMA";
    return FactValue(!link.peer_dma.is(false));
  }
  const auto* a = find_device(recording, from);
  const auto* b = find_device(recording, to);
  if (a == nullptr || b == nullptr) return {};
  for (const auto* device : {a, b}) {
    if (device->kfd.is_absent()) {
      evidence = fmt::format("KFD does not list {}", short_form(device->address));
      return FactValue(false);
    }
  }
  if (listed_whole(*a) && listed_whole(*b)) {
    evidence = fmt::format("KFD lists both, and no link from {} to {}", short_form(from), short_form(to));
    return FactValue(false);
  }
  evidence = "the driver's list of links is not in the input";
  const auto& kfd = a->kfd.is_known() ? b->kfd : a->kfd;
  return Known<FactValue>::unknown(kfd.is_unknown()                         ? kfd.reason()
                                   : a->kfd.value().partitions.is_unknown() ? a->kfd.value().partitions.reason()
                                                                            : Reason::not_in_input);
}

}  // namespace

void add_driver_facts(const GpuView& view, const Catalogue& catalogue, FactList& facts) {
  const auto& device = *view.chain.steps.back().device;
  const Subject subject{SubjectKind::gpu, {device.address}};
  const auto a = short_form(device.address);
  facts.add("gpu.memory", subject, fact_value(device.vram_bytes),
            device.vram_bytes.is_known() ? fmt::format("{} mem_info_vram_total", a)
                                         : "the driver's word about its memory is not in the input",
            {}, Tier::queried);
  const auto* chip = catalogue.find(DeviceKind::chip, device);
  if (view.gpu.vendor == Vendor::nvidia) {
    add_compute_capability(subject, chip, a, facts);
    const auto* nvidia = device.nvidia.get();
    const auto mig = nvidia == nullptr ? Known<bool>() : nvidia->mig;
    facts.add("gpu.mig", subject, fact_value(mig),
              mig.is_known() ? fmt::format("{} folder gi* in /proc/driver/nvidia/capabilities/gpu{}/mig",
                                           mig.value() ? "a" : "no", nvidia->minor.value_or(0))
                             : "NVIDIA's driver shows no capabilities of the GPU here");
  }
  if (view.gpu.vendor != Vendor::amd) return;
  const std::string nothing = "KFD's topology is not in the input";
  const auto cited = [&](const char* key) {
    if (device.kfd.is_absent()) return fmt::format("KFD has no node for {}", a);
    return device.kfd.is_known() ? fmt::format("KFD's node of {}, {}", a, key) : nothing;
  };
  const auto listed = device.kfd.is_unknown() ? Known<FactValue>::unknown(device.kfd.reason())
                                              : Known<FactValue>(FactValue(device.kfd.is_known()));
  facts.add("gpu.compute_driver", subject, listed,
            device.kfd.is_known()    ? fmt::format("KFD has a node for {}", a)
            : device.kfd.is_absent() ? left_out_evidence(view)
                                     : nothing,
            {}, Tier::queried);
  const auto gfx = of_kfd(device, &KfdReading::gfx_target_version, gfx_name);
  if (!gfx.is_known() && chip != nullptr && !chip->gfx.empty()) {
    facts.add("gpu.gfx", subject, fact_text(chip->gfx), by_id(a, *chip));
  } else {
    facts.add("gpu.gfx", subject, gfx, cited("gfx_target_version"), {}, Tier::queried);
  }
  facts.add("gpu.firmware", subject,
            of_kfd(device, &KfdReading::mec_firmware, [](std::uint32_t v) { return static_cast<double>(v); }),
            cited("fw_version"), {}, Tier::queried);
  facts.add("bar.large", subject, of_kfd(device, &KfdReading::large_bar, [](bool v) { return v; }),
            cited("heap_type of its memory"), {}, Tier::queried);
}

void add_driver_link_facts(const Recording& recording, const std::vector<JudgedPair>& pairs, FactList& facts) {
  std::map<std::pair<Address, Address>, const DriverLink*> links;
  for (const auto& link : recording.driver_links) links.try_emplace({link.from, link.to}, &link);
  const auto is_amds = [&](const Address& address) {
    constexpr std::uint16_t kAmd = 0x1002;
    const auto* device = find_device(recording, address);
    return device != nullptr && device->vendor_id.is(kAmd);
  };
  for (const auto& judged : pairs) {
    const auto& pair = judged.pair;
    if (!is_amds(pair.a) || !is_amds(pair.b)) continue;
    for (const auto& [from, to] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
      std::string evidence;
      const auto value = link_between(recording, from, to, links, evidence);
      facts.add("p2p.driver", {SubjectKind::pair, {from, to}}, value, evidence, {}, Tier::queried);
    }
  }
}

bool without_xgmi(const PciDevice& a, const PciDevice& b) {
  if (!a.kfd.is_known() || !b.kfd.is_known()) return false;
  const auto& first = a.kfd.value().hive;
  const auto& second = b.kfd.value().hive;
  if (first.is_absent() || second.is_absent()) return true;
  return first.is_known() && second.is_known() && first.value() != second.value();
}

}  // namespace gpucoop
