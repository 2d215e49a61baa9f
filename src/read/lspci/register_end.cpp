// What a device's lines mean by what they leave out.

#include <optional>

#include "read/lspci/registers.hpp"

namespace gpucoop {
namespace {

using Label = RegisterLabel;

// Ids of extended capabilities (pci_regs.h PCI_EXT_CAP_ID_*).
constexpr unsigned kAerId = 0x01;
constexpr unsigned kAcsId = 0x0d;
constexpr unsigned kAriId = 0x0e;
constexpr unsigned kSrIovId = 0x10;

template <class T>
void explain(Known<T>& field, Reason reason) {
  if (field.is_unknown() && field.reason() == Reason::not_in_input) field = Known<T>::unknown(reason);
}

template <class T>
void make_absent(Known<T>& field) {
  if (field.is_unknown()) field = Known<T>::absent();
}

void explain_acs(AcsBits& bits) {
  for (auto field : {&AcsBits::source_validation, &AcsBits::translation_blocking, &AcsBits::request_redirect,
                     &AcsBits::completion_redirect, &AcsBits::upstream_forwarding, &AcsBits::egress_control,
                     &AcsBits::direct_translated}) {
    explain(bits.*field, Reason::truncated);
  }
}

template <class T>
void give(Known<T>& field, const std::optional<Reason>& why) {
  field = why ? Known<T>::unknown(*why) : Known<T>::absent();
}

}  // namespace

/// Why a capability that is not in the text is unknown; nullopt where it is absent.
std::optional<Reason> RegisterText::missing(bool absent, Reason other, bool cut) const {
  if (device_->lost) return Reason::device_lost;
  if (device_->access_denied) return Reason::no_root;
  if (cut) return Reason::truncated;
  return absent ? std::nullopt : std::optional(other);
}

void RegisterText::end_express(bool cut) {
  auto& e = values_.express;
  // A version 1 capability ends before the second set of registers (PCI Express Base 1.1, section 7.8).
  if (e.version.is(1)) {
    make_absent(e.ari_forwarding);
    make_absent(e.atomic_routing);
    make_absent(e.atomic_completer32);
    make_absent(e.atomic_completer64);
    make_absent(e.atomic_completer128);
    make_absent(e.atomic_requester_enable);
    make_absent(e.atomic_egress_block);
    make_absent(e.target_speed);
  }
  if (e.type.is(PortType::integrated_endpoint) || e.type.is(PortType::event_collector)) {
    make_absent(e.max_speed);
    make_absent(e.max_width);
    make_absent(e.speed);
    make_absent(e.width);
    make_absent(e.link_training);
    make_absent(e.dll_active);
    make_absent(e.bandwidth_management);
    make_absent(e.autonomous_bandwidth);
    make_absent(e.link_disabled);
    make_absent(e.target_speed);
  }
  const bool port = e.type.is(PortType::root_port) || e.type.is(PortType::switch_downstream);
  if (e.type.is_known() && !port && !e.type.is(PortType::pci_to_pcie_bridge)) e.slot_implemented = false;
  if (e.slot_implemented.is(false)) {
    make_absent(e.physical_slot_number);
    make_absent(e.slot_power_limit_watts);
    make_absent(e.hot_plug_capable);
    make_absent(e.hot_plug_surprise);
    make_absent(e.presence_detect);
  }
  // Which words a register's line holds depends on the port type and on the age of lspci.
  if (seen(Label::dev_cap2) && !(cut && (label_ == Label::dev_cap2 || label_ == Label::atomic_cap))) {
    explain(e.ari_forwarding, Reason::not_printed);
    explain(e.atomic_routing, Reason::not_printed);
    explain(e.atomic_completer32, Reason::not_printed);
    explain(e.atomic_completer64, Reason::not_printed);
    explain(e.atomic_completer128, Reason::not_printed);
  }
  if (seen(Label::dev_ctl2) && !(cut && (label_ == Label::dev_ctl2 || label_ == Label::atomic_ctl))) {
    explain(e.atomic_requester_enable, Reason::not_printed);
    explain(e.atomic_egress_block, Reason::not_printed);
  }
  if (!cut) return;
  explain(e.type, Reason::truncated);
  explain(e.max_speed, Reason::truncated);
  explain(e.max_width, Reason::truncated);
  explain(e.speed, Reason::truncated);
  explain(e.width, Reason::truncated);
  explain(e.atomic_routing, Reason::truncated);
  explain(e.atomic_completer32, Reason::truncated);
  explain(e.atomic_completer64, Reason::truncated);
  explain(e.atomic_completer128, Reason::truncated);
  explain(e.atomic_requester_enable, Reason::truncated);
  explain(e.atomic_egress_block, Reason::truncated);
}

void RegisterText::end_extended(bool cut, bool no_capabilities) {
  auto& d = *device_;
  // Without a single extended capability in the text it cannot be told whether any could be read.
  const bool listed = no_capabilities || any_extended_;
  const auto lacking = [&](unsigned id) {
    const bool undecoded = (undecoded_ >> id & 1U) != 0;
    return missing(listed && !undecoded, undecoded ? Reason::not_printed : Reason::not_in_input, cut);
  };
  if (has(Capability::acs)) {
    if (cut && label_ == Label::acs_cap) explain_acs(values_.acs.capability);
    if (cut && (label_ == Label::acs_cap || label_ == Label::acs_ctl)) explain_acs(values_.acs.control);
    d.acs = values_.acs;
  } else {
    give(d.acs, lacking(kAcsId));
  }
  if (has(Capability::aer)) {
    if (cut && label_ == Label::ue_sta) values_.aer.uncorrectable = Known<std::uint32_t>::unknown(Reason::truncated);
    if (cut && label_ == Label::ce_sta) values_.aer.correctable = Known<std::uint32_t>::unknown(Reason::truncated);
    d.aer = values_.aer;
  } else {
    give(d.aer, lacking(kAerId));
  }
  if (has(Capability::sriov)) {
    d.sriov = values_.sriov;
  } else {
    give(d.sriov, lacking(kSrIovId));
  }
  if (!has(Capability::ari)) give(d.ari_next_function, lacking(kAriId));
}

void RegisterText::end(bool cut, bool no_capabilities) {
  auto& d = *device_;
  const bool listed = any_capability_ || no_capabilities;
  if (has_express_) {
    end_express(cut);
    d.express = values_.express;
  } else {
    give(d.express, missing(listed, Reason::not_in_input, cut));
  }
  end_extended(cut, no_capabilities);
  if (!has(Capability::power_management)) give(d.power_state, missing(listed, Reason::not_in_input, cut));
}

}  // namespace gpucoop
