#include "analyse/peer.hpp"

#include <fmt/format.h>

#include <optional>

namespace gpucoop {
namespace {

constexpr unsigned kZen = 0x17;
constexpr std::uint64_t kSmallBar = 256ULL << 20;

PeerVerdict verdict(PeerExpectation expectation, std::string why) { return {expectation, std::move(why)}; }
PeerVerdict open(std::string why) { return {PeerExpectation::unknown, std::move(why)}; }

bool uses_p2pdma(Vendor vendor) { return vendor == Vendor::amd || vendor == Vendor::intel; }

/// AMD's and Intel's drivers lend the memory behind the BAR: with the 256 MiB window only a part can be reached.
const GpuView* small_bar(const PeerCase& pair) {
  for (const auto* view : {pair.a, pair.b}) {
    const auto* bytes = view->gpu.bar_bytes.get();
    if (uses_p2pdma(view->gpu.vendor) && bytes != nullptr && *bytes <= kSmallBar) return view;
  }
  return nullptr;
}

PeerVerdict inside_switch(const HostView& host, const PeerCase& pair) {
  const auto& iommu = host.recording.host.iommu_translating;
  if (pair.redirect.is(false)) {
    std::string why = "ACS redirect off: the switch between the two passes peer traffic directly.";
    if (iommu.is(true))
      why += " The IOMMU translates, so a probe has to check that addresses arrive where they should.";
    return verdict(PeerExpectation::likely, std::move(why));
  }
  if (!pair.redirect.is_known())
    return open("Whether the switch redirects peer traffic to the root (ACS) was not read.");
  if (iommu.is(false)) {
    return verdict(PeerExpectation::slower,
                   "ACS redirect on, IOMMU in passthrough or off: peer traffic goes up to the root and comes back.");
  }
  if (iommu.is(true)) {
    return open(
        "ACS redirect on, IOMMU translating: works only if the driver mapped the peer's memory; otherwise "
        "writes are dropped or data is silently wrong. Only a probe with checked data tells.");
  }
  return open("ACS redirect is on; what that means depends on the IOMMU mode, which was not read.");
}

/// What the drivers need of the kernel's build to lend one GPU's memory to another (drivers/gpu/drm/amd/amdgpu/
/// amdgpu_device.c amdgpu_device_is_peer_accessible; drivers/gpu/drm/xe/xe_dma_buf.c). NVIDIA's driver needs none of
/// it.
std::optional<PeerVerdict> refused_by_kernel(const HostReading& host, Vendor vendor) {
  if (!uses_p2pdma(vendor)) return std::nullopt;
  const auto refused = [](const char* what, const char* end) {
    return verdict(PeerExpectation::not_expected,
                   fmt::format("{}: the driver then lends no peer its memory{}.", what, end));
  };
  if (host.config_p2pdma.is(false)) return refused("The kernel is built without CONFIG_PCI_P2PDMA", "");
  if (vendor != Vendor::amd) return std::nullopt;
  if (host.config_hsa_amd_p2p.is(false)) {
    return refused("The kernel is built without CONFIG_HSA_AMD_P2P", " over PCI Express");
  }
  if (host.amdgpu_pcie_p2p.is(false)) return refused("amdgpu's parameter pcie_p2p is off", " over PCI Express");
  return std::nullopt;
}

PeerVerdict not_listed(const PeerCase& pair) {
  if (uses_p2pdma(pair.a->gpu.vendor)) {
    return verdict(PeerExpectation::not_expected,
                   "The two meet only at the host bridge, and the kernel lets peer traffic through listed host bridges "
                   "only; this one is not listed.");
  }
  return open(
      "The two meet only at the host bridge, which is none that is known to pass peer reads; the driver decides.");
}

PeerVerdict through_host(const HostView& host, const PeerCase& pair) {
  const auto forward_a = host_forwarding(host, pair.a->chain);
  const auto forward_b = host_forwarding(host, pair.b->chain);
  if (forward_a == HostForwarding::not_listed || forward_b == HostForwarding::not_listed) return not_listed(pair);
  if (forward_a == HostForwarding::unknown || forward_b == HostForwarding::unknown) {
    return open("The two meet only at the host bridge, and which one it is was not read.");
  }
  const bool same_only = forward_a == HostForwarding::same_bridge_only || forward_b == HostForwarding::same_bridge_only;
  if (same_only && pair.path != PairPath::host_bridge) return not_listed(pair);
  if (!uses_p2pdma(pair.a->gpu.vendor)) {
    const auto* name = pair.a->gpu.name.get();
    if (name != nullptr && name->find("GeForce") != std::string::npos) {
      return open(
          "The host bridge passes peer traffic; for GeForce boards the driver decides and usually refuses it "
          "over PCI Express.");
    }
    if (host.recording.host.iommu_translating.is(true)) {
      return open(
          "The host bridge passes peer traffic, but the IOMMU translates: works only if the driver mapped the "
          "peer's memory, otherwise data is dropped or silently wrong.");
    }
  }
  if (pair.path == PairPath::socket) {
    return verdict(PeerExpectation::slower, "Peer traffic crosses from one processor to the other.");
  }
  return verdict(PeerExpectation::likely,
                 pair.redirect.is(true)
                     ? "The host bridge passes peer traffic between its ports; ACS redirect sends it there anyway."
                     : "The host bridge passes peer traffic between its ports.");
}

}  // namespace

HostForwarding host_forwarding(const HostView& host, const Chain& chain) {
  const auto& reading = host.recording.host;
  if (reading.cpu_vendor.is("AuthenticAMD") && reading.cpu_family.is_known()) {
    return reading.cpu_family.value() >= kZen ? HostForwarding::yes : HostForwarding::not_listed;
  }
  if (!chain.on_root_bus) return HostForwarding::unknown;
  const auto& top = chain.steps.front().address;
  const auto* bridge = host.tree.host_bridge(top.domain, top.bus);
  if (bridge == nullptr) return HostForwarding::unknown;
  if (host.catalogue.is(DeviceKind::peer_host_bridge, *bridge)) return HostForwarding::yes;
  if (host.catalogue.is(DeviceKind::peer_host_bridge_same, *bridge)) return HostForwarding::same_bridge_only;
  // An AMD host bridge that is in no list yet may belong to a newer Zen.
  if (!bridge->vendor_id.is_known() || !bridge->device_id.is_known() || bridge->vendor_id.is(0x1022)) {
    return HostForwarding::unknown;
  }
  return HostForwarding::not_listed;
}

PeerVerdict judge_peer(const HostView& host, const PeerCase& pair) {
  const auto& a = pair.a->gpu;
  const auto& b = pair.b->gpu;
  if (a.lost || b.lost) return open("One of the two does not answer.");
  if (a.vendor != b.vendor) {
    return verdict(PeerExpectation::not_expected, "GPUs of two makers: no driver lends one's memory to the other.");
  }
  for (const auto* view : {pair.a, pair.b}) {
    const auto& nvidia = host.recording.devices[view->index].nvidia;
    if (nvidia.is_known() && nvidia.value().mig.is(true)) {
      return verdict(
          PeerExpectation::not_expected,
          short_form(view->gpu.address) + " is split into MIG instances, which reach no other GPU's memory.");
    }
  }
  if (pair.fabric) return verdict(PeerExpectation::likely, "A direct fabric joins the two; the driver prefers it.");
  if (a.integrated || b.integrated) {
    return open("One of the two is inside the processor: there is no PCI Express path to judge.");
  }
  if (host.virtualized == Tri::yes)
    return open("A virtual machine hides the real path; the driver's peer status decides.");
  if (pair.path == PairPath::unknown) return open("Which path lies between the two was not read.");
  if (pair.path == PairPath::same_card) return open("Both are on one card; how it joins them was not read.");
  if (const auto* view = small_bar(pair)) {
    return verdict(PeerExpectation::not_expected,
                   fmt::format("{} shows only {} MiB of its memory (no resizable BAR in effect), and the driver lends "
                               "peers what the BAR shows.",
                               short_form(view->gpu.address), view->gpu.bar_bytes.value() >> 20));
  }
  if (auto refused = refused_by_kernel(host.recording.host, a.vendor)) return *refused;
  if (pair.path == PairPath::switch_ || pair.path == PairPath::switches) return inside_switch(host, pair);
  return through_host(host, pair);
}

}  // namespace gpucoop
