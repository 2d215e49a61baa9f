#include "read/overlay.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gpucoop {
namespace {

std::string spell(bool v) { return v ? "yes" : "no"; }
std::string spell(const std::string& v) { return v; }
std::string spell(LinkSpeed v) {
  const double gts = gigatransfers(v);
  return (v == LinkSpeed::gen1 ? std::string("2.5") : std::to_string(static_cast<int>(gts))) + " GT/s";
}
std::string spell(PortType v) { return std::string(to_string(v)); }
std::string spell(const BusNumbers& v) {
  char text[48];
  std::snprintf(text, sizeof text, "primary %02x secondary %02x subordinate %02x", v.primary, v.secondary,
                v.subordinate);
  return text;
}
std::string spell(const Address& v) { return to_string(v); }
std::string spell(double v) {
  char text[48];
  std::snprintf(text, sizeof text, "%g", v);
  return text;
}
template <class T>
requires std::is_integral_v<T> std::string spell(T v) { return std::to_string(v); }
std::string spell_hex(std::uint32_t v, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "%0*x", digits, v);
  return text;
}

/// Where a line is worth more than a name: how a field is compared and spelled.
enum class As : std::uint8_t { number, hex16, width };

template <class T>
std::string spell_as(const Known<T>& k, As as) {
  if (k.is_absent()) return "none";
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (as == As::hex16) return spell_hex(static_cast<std::uint32_t>(k.value()), 4);
    if (as == As::width) return "x" + std::to_string(k.value());
  }
  return spell(k.value());
}

template <class T>
bool equal(const Known<T>& a, const Known<T>& b) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kRounding = 1e-6;
    if (a.is_known() && b.is_known()) return std::abs(a.value() - b.value()) < kRounding;
  }
  return a == b;
}

class Overlay {
 public:
  Overlay(PciDevice& kept, const PciDevice& other, std::vector<Disagreement>* out, Worth worth)
      : kept_(kept), other_(other), out_(out), worth_(worth) {}

  /// Fills `a` from `b`; a difference is kept unless `quiet`.
  template <class T>
  void field(std::string_view name, Known<T>& a, const Known<T>& b, As as = As::number) {
    if (b.is_unknown()) {
      if (a.is_unknown() && a.reason() == Reason::not_in_input) a = b;
      return;
    }
    if (a.is_unknown()) {
      // What better sources disagree about, a lesser one does not settle.
      if (a.reason() != Reason::disagreement) a = b;
      return;
    }
    if (equal(a, b) || out_ == nullptr) return;
    Disagreement d;
    d.device = kept_.address;
    d.field = name;
    d.kept = spell_as(a, as);
    d.other = spell_as(b, as);
    if (!kept_.places.empty()) d.kept_place = kept_.places.front();
    if (!other_.places.empty()) d.other_place = other_.places.front();
    out_->push_back(std::move(d));
  }

  /// As `field`, for what a gate hangs on.
  template <class T>
  void decisive(std::string_view name, Known<T>& a, const Known<T>& b) {
    const bool open = worth_ == Worth::equal && !a.is_unknown() && !b.is_unknown() && !equal(a, b);
    field(name, a, b);
    if (!open) return;
    a = Known<T>::unknown(Reason::disagreement);
    if (out_ != nullptr) out_->back().open = true;
  }

  /// Fills `a` from `b` where it is unknown, and lets a difference pass: spellings of names, old and new lists of ids.
  template <class T>
  void quiet(Known<T>& a, const Known<T>& b) {
    if (!a.is_known() && !b.is_unknown()) a = b;
  }

  template <class T, class F>
  void group(std::string_view name, Known<T>& a, const Known<T>& b, F fields) {
    if (a.is_known() && b.is_known()) {
      T merged = a.value();
      fields(merged, b.value());
      a = std::move(merged);
    } else if (a.is_unknown()) {
      if (!b.is_unknown() || a.reason() == Reason::not_in_input) a = b;
    } else if (!b.is_unknown() && a.is_known() != b.is_known() && out_ != nullptr) {
      Known<bool> x = a.is_known() ? Known<bool>(true) : Known<bool>::absent();
      const Known<bool> y = b.is_known() ? Known<bool>(true) : Known<bool>::absent();
      field(name, x, y);
    }
  }

 private:
  PciDevice& kept_;
  const PciDevice& other_;
  std::vector<Disagreement>* out_;
  Worth worth_;
};

void join_express(Overlay& o, PciExpress& a, const PciExpress& b) {
  o.field("Express version", a.version, b.version);
  o.decisive("Express type", a.type, b.type);
  o.field("Express slot implemented", a.slot_implemented, b.slot_implemented);
  o.field("DevCap MaxPayload", a.max_payload_supported, b.max_payload_supported);
  o.field("DevCtl MaxPayload", a.max_payload, b.max_payload);
  o.field("DevCtl MaxReadReq", a.max_read_request, b.max_read_request);
  o.field("DevSta CorrErr", a.correctable_error, b.correctable_error);
  o.field("DevSta NonFatalErr", a.non_fatal_error, b.non_fatal_error);
  o.field("DevSta FatalErr", a.fatal_error, b.fatal_error);
  o.field("DevSta UnsupReq", a.unsupported_request, b.unsupported_request);
  o.field("LnkCap speed", a.max_speed, b.max_speed);
  o.field("LnkCap width", a.max_width, b.max_width, As::width);
  o.field("LnkSta speed", a.speed, b.speed);
  o.field("LnkSta width", a.width, b.width, As::width);
  o.field("LnkSta Train", a.link_training, b.link_training);
  o.field("LnkSta DLActive", a.dll_active, b.dll_active);
  o.field("LnkSta BWMgmt", a.bandwidth_management, b.bandwidth_management);
  o.field("LnkSta ABWMgmt", a.autonomous_bandwidth, b.autonomous_bandwidth);
  o.field("LnkCtl LnkDisable", a.link_disabled, b.link_disabled);
  o.field("LnkCtl2 target speed", a.target_speed, b.target_speed);
  o.decisive("AtomicOpsCap Routing", a.atomic_routing, b.atomic_routing);
  o.decisive("AtomicOpsCap 32bit", a.atomic_completer32, b.atomic_completer32);
  o.decisive("AtomicOpsCap 64bit", a.atomic_completer64, b.atomic_completer64);
  o.field("AtomicOpsCap 128bitCAS", a.atomic_completer128, b.atomic_completer128);
  o.decisive("AtomicOpsCtl ReqEn", a.atomic_requester_enable, b.atomic_requester_enable);
  o.decisive("AtomicOpsCtl EgressBlck", a.atomic_egress_block, b.atomic_egress_block);
  o.field("DevCap2 ARIFwd", a.ari_forwarding, b.ari_forwarding);
  o.field("SltCap slot number", a.physical_slot_number, b.physical_slot_number);
  o.field("SltCap power limit", a.slot_power_limit_watts, b.slot_power_limit_watts);
  o.field("SltCap HotPlug", a.hot_plug_capable, b.hot_plug_capable);
  o.field("SltCap Surprise", a.hot_plug_surprise, b.hot_plug_surprise);
  o.field("SltSta PresDet", a.presence_detect, b.presence_detect);
}

void join_acs_bits(Overlay& o, const std::string& name, AcsBits& a, const AcsBits& b) {
  o.field(name + " SrcValid", a.source_validation, b.source_validation);
  o.field(name + " TransBlk", a.translation_blocking, b.translation_blocking);
  o.decisive(name + " ReqRedir", a.request_redirect, b.request_redirect);
  o.decisive(name + " CmpltRedir", a.completion_redirect, b.completion_redirect);
  o.field(name + " UpstreamFwd", a.upstream_forwarding, b.upstream_forwarding);
  o.decisive(name + " EgressCtrl", a.egress_control, b.egress_control);
  o.field(name + " DirectTrans", a.direct_translated, b.direct_translated);
}

/// Sizes come from the text, all else from the bytes. Without `Region n:` a text's numbering is only a guess, so a
/// size is taken only where the kinds agree.
void join_bars(Overlay& o, std::vector<Bar>& a, const std::vector<Bar>& b) {
  if (a.empty()) {
    a = b;
    return;
  }
  for (const auto& from : b) {
    const auto to = std::find_if(a.begin(), a.end(), [&](const Bar& x) { return x.index == from.index; });
    if (to == a.end()) continue;
    const auto differ = [](const Known<bool>& x, const Known<bool>& y) {
      return x.is_known() && y.is_known() && x.value() != y.value();
    };
    if (differ(to->memory, from.memory) || differ(to->is64bit, from.is64bit)) continue;
    o.field("Region " + std::to_string(to->index) + " size", to->size, from.size);
    // The register may still hold an address that the kernel has not accepted.
    if (from.assigned.is(false)) to->assigned = false;
    o.quiet(to->assigned, from.assigned);
    o.quiet(to->memory, from.memory);
    o.quiet(to->prefetchable, from.prefetchable);
    o.quiet(to->is64bit, from.is64bit);
  }
}

void join_resizable(Overlay& o, std::vector<ResizableBar>& a, const std::vector<ResizableBar>& b) {
  if (a.empty()) {
    a = b;
    return;
  }
  for (const auto& from : b) {
    const auto to = std::find_if(a.begin(), a.end(), [&](const ResizableBar& x) { return x.index == from.index; });
    if (to == a.end()) continue;
    o.field("Resizable BAR " + std::to_string(to->index) + " size", to->size, from.size);
    if (to->supported.empty()) to->supported = from.supported;
  }
}

/// Names are spelled as each list of names has them; the longer of two that begin alike is the one not cut.
void join_name(Known<std::string>& a, const Known<std::string>& b) {
  const auto* x = a.get();
  const auto* y = b.get();
  if (y != nullptr && (x == nullptr || (y->size() > x->size() && y->compare(0, x->size(), *x) == 0))) a = b;
}

/// A parent from a source that leaves out bridges never contradicts the real one.
void join_parent(Overlay& o, PciDevice& a, const PciDevice& b) {
  if (a.stated_parent.is_known() && b.stated_parent.is_known() && a.parent_skips_levels != b.parent_skips_levels) {
    if (a.parent_skips_levels) {
      a.stated_parent = b.stated_parent;
      a.parent_skips_levels = false;
    }
    return;
  }
  if (!a.stated_parent.is_known() && b.stated_parent.is_known()) a.parent_skips_levels = b.parent_skips_levels;
  o.field("parent", a.stated_parent, b.stated_parent);
}

}  // namespace

void overlay(PciDevice& kept, PciDevice other, std::vector<Disagreement>* disagreements, Worth worth) {
  Overlay o(kept, other, disagreements, worth);
  const bool lost = kept.lost || other.lost;
  o.field("vendor", kept.vendor_id, other.vendor_id, As::hex16);
  o.field("device", kept.device_id, other.device_id, As::hex16);
  o.field("class", kept.class_code, other.class_code, As::hex16);
  o.field("subsystem vendor", kept.subsystem_vendor_id, other.subsystem_vendor_id, As::hex16);
  o.field("subsystem device", kept.subsystem_device_id, other.subsystem_device_id, As::hex16);
  join_name(kept.name, other.name);
  o.quiet(kept.subsystem_name, other.subsystem_name);
  o.field("revision", kept.revision, other.revision);
  o.field("header type", kept.header_type, other.header_type);
  o.field("buses", kept.buses, other.buses);
  join_parent(o, kept, other);
  o.field("root bus", kept.stated_root_bus, other.stated_root_bus);
  o.group("PCI Express capability", kept.express, other.express,
          [&](PciExpress& a, const PciExpress& b) { join_express(o, a, b); });
  o.group("ACS capability", kept.acs, other.acs, [&](Acs& a, const Acs& b) {
    join_acs_bits(o, "ACSCap", a.capability, b.capability);
    join_acs_bits(o, "ACSCtl", a.control, b.control);
  });
  o.group("AER capability", kept.aer, other.aer, [&](AerStatus& a, const AerStatus& b) {
    // Old texts name only some of the bits, and errors come and go: a difference is no finding.
    o.quiet(a.uncorrectable, b.uncorrectable);
    o.quiet(a.correctable, b.correctable);
  });
  o.group("SR-IOV capability", kept.sriov, other.sriov, [&](SrIov& a, const SrIov& b) {
    o.field("SR-IOV enabled", a.enabled, b.enabled);
    o.field("SR-IOV total VFs", a.total_vfs, b.total_vfs);
    o.field("SR-IOV number of VFs", a.num_vfs, b.num_vfs);
    o.field("SR-IOV VF offset", a.vf_offset, b.vf_offset);
    o.field("SR-IOV VF stride", a.vf_stride, b.vf_stride);
    o.field("SR-IOV VF device", a.vf_device_id, b.vf_device_id, As::hex16);
  });
  o.group("error counters", kept.aer_counters, other.aer_counters, [&](AerCounters& a, const AerCounters& b) {
    o.quiet(a.correctable, b.correctable);
    o.quiet(a.non_fatal, b.non_fatal);
    o.quiet(a.fatal, b.fatal);
  });
  o.field("ARI next function", kept.ari_next_function, other.ari_next_function);
  join_bars(o, kept.bars, other.bars);
  join_resizable(o, kept.resizable_bars, other.resizable_bars);
  o.field("driver", kept.driver, other.driver);
  if (kept.modules.empty()) kept.modules = std::move(other.modules);
  o.field("NUMA node", kept.numa_node, other.numa_node);
  o.field("package", kept.package, other.package);
  o.field("IOMMU group", kept.iommu_group, other.iommu_group);
  o.field("physical slot", kept.physical_slot, other.physical_slot);
  o.quiet(kept.slot_label, other.slot_label);
  o.field("power state", kept.power_state, other.power_state);
  o.field("physical function", kept.physical_function, other.physical_function);
  o.field("KFD link AtomicOps", kept.driver_atomics, other.driver_atomics);
  o.quiet(kept.acpi_path, other.acpi_path);
  o.quiet(kept.runtime_status, other.runtime_status);
  o.quiet(kept.render_minor, other.render_minor);
  o.quiet(kept.vram_bytes, other.vram_bytes);
  o.group("KFD node", kept.kfd, other.kfd, [&](KfdReading& a, const KfdReading& b) {
    o.quiet(a.gfx_target_version, b.gfx_target_version);
    o.quiet(a.mec_firmware, b.mec_firmware);
    o.quiet(a.sdma_firmware, b.sdma_firmware);
    o.quiet(a.hive, b.hive);
    o.quiet(a.large_bar, b.large_bar);
    o.quiet(a.partitions, b.partitions);
  });
  o.group("NVIDIA's driver", kept.nvidia, other.nvidia, [&](NvidiaReading& a, const NvidiaReading& b) {
    o.quiet(a.minor, b.minor);
    o.quiet(a.mig, b.mig);
  });
  o.quiet(kept.stated_link_gbytes_per_s, other.stated_link_gbytes_per_s);
  kept.lost = lost;
  kept.access_denied = (kept.access_denied || other.access_denied) && !kept.express.is_known();
  kept.places.insert(kept.places.end(), other.places.begin(), other.places.end());
}

}  // namespace gpucoop
