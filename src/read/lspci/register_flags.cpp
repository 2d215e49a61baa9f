#include <array>

#include "read/lspci/registers.hpp"

namespace gpucoop {
namespace {

using Label = RegisterLabel;

struct LabelName {
  std::string_view name;
  Label label;
};
constexpr std::array<LabelName, 43> kLabels{{
    {"DevCap", Label::dev_cap},
    {"DevCtl", Label::dev_ctl},
    {"DevSta", Label::dev_sta},
    {"LnkCap", Label::lnk_cap},
    {"LnkCtl", Label::lnk_ctl},
    {"LnkSta", Label::lnk_sta},
    {"SltCap", Label::slt_cap},
    {"SltCtl", Label::other},
    {"SltSta", Label::slt_sta},
    {"RootCap", Label::other},
    {"RootCtl", Label::other},
    {"RootSta", Label::other},
    {"DevCap2", Label::dev_cap2},
    {"DevCtl2", Label::dev_ctl2},
    {"LnkCap2", Label::lnk_cap2},
    {"LnkCtl2", Label::lnk_ctl2},
    {"LnkSta2", Label::other},
    {"AtomicOpsCap", Label::atomic_cap},
    {"AtomicOpsCtl", Label::atomic_ctl},
    {"ACSCap", Label::acs_cap},
    {"ACSCtl", Label::acs_ctl},
    {"UESta", Label::ue_sta},
    {"UEMsk", Label::other},
    {"UESvrt", Label::other},
    {"CESta", Label::ce_sta},
    {"CEMsk", Label::other},
    {"AERCap", Label::other},
    {"HeaderLog", Label::other},
    {"RootCmd", Label::other},
    {"ErrorSrc", Label::other},
    {"IOVCap", Label::other},
    {"IOVCtl", Label::iov_ctl},
    {"IOVSta", Label::other},
    {"ARICap", Label::ari_cap},
    {"ARICtl", Label::other},
    {"LnkCtl3", Label::other},
    {"LaneErrStat", Label::other},
    {"L1SubCap", Label::other},
    {"L1SubCtl1", Label::other},
    {"L1SubCtl2", Label::other},
    {"PASIDCap", Label::other},
    {"DpcCap", Label::other},
    {"DpcCtl", Label::other},
}};

struct ExpressFlag {
  Label label;
  std::string_view name;
  Known<bool> PciExpress::*field;
};
constexpr std::array<ExpressFlag, 24> kExpressFlags{{
    {Label::dev_sta, "CorrErr", &PciExpress::correctable_error},
    {Label::dev_sta, "NonFatalErr", &PciExpress::non_fatal_error},
    {Label::dev_sta, "UncorrErr", &PciExpress::non_fatal_error},  // up to 3.5.6
    {Label::dev_sta, "FatalErr", &PciExpress::fatal_error},
    {Label::dev_sta, "UnsupReq", &PciExpress::unsupported_request},
    {Label::dev_sta, "UnsuppReq", &PciExpress::unsupported_request},  // up to 3.5.6
    {Label::lnk_ctl, "Disabled", &PciExpress::link_disabled},         // up to 3.10
    {Label::lnk_ctl, "LnkDisable", &PciExpress::link_disabled},
    {Label::lnk_sta, "Train", &PciExpress::link_training},
    {Label::lnk_sta, "DLActive", &PciExpress::dll_active},
    {Label::lnk_sta, "BWMgmt", &PciExpress::bandwidth_management},
    {Label::lnk_sta, "ABWMgmt", &PciExpress::autonomous_bandwidth},
    {Label::slt_cap, "HotPlug", &PciExpress::hot_plug_capable},
    {Label::slt_cap, "Surprise", &PciExpress::hot_plug_surprise},
    {Label::slt_sta, "PresDet", &PciExpress::presence_detect},
    {Label::dev_cap2, "ARIFwd", &PciExpress::ari_forwarding},
    {Label::atomic_cap, "Routing", &PciExpress::atomic_routing},
    {Label::atomic_cap, "32bit", &PciExpress::atomic_completer32},
    {Label::atomic_cap, "64bit", &PciExpress::atomic_completer64},
    {Label::atomic_cap, "128bitCAS", &PciExpress::atomic_completer128},
    {Label::atomic_ctl, "ReqEn", &PciExpress::atomic_requester_enable},
    {Label::atomic_ctl, "EgressBlck", &PciExpress::atomic_egress_block},
    {Label::atomic_ctl, "EgressBlk", &PciExpress::atomic_egress_block},
    {Label::lnk_sta, "DLLActive", &PciExpress::dll_active},
}};

struct AcsFlag {
  std::string_view name;
  Known<bool> AcsBits::*field;
};
constexpr std::array<AcsFlag, 7> kAcsFlags{{
    {"SrcValid", &AcsBits::source_validation},
    {"TransBlk", &AcsBits::translation_blocking},
    {"ReqRedir", &AcsBits::request_redirect},
    {"CmpltRedir", &AcsBits::completion_redirect},
    {"UpstreamFwd", &AcsBits::upstream_forwarding},
    {"EgressCtrl", &AcsBits::egress_control},
    {"DirectTrans", &AcsBits::direct_translated},
}};

struct StatusBit {
  Label label;
  std::string_view name;
  std::uint32_t mask;
};
// Bits: pci_regs.h PCI_ERR_UNC_* and PCI_ERR_COR_*; names: pciutils ls-ecaps.c cap_aer.
constexpr std::array<StatusBit, 28> kAerBits{{
    {Label::ue_sta, "DLP", 0x10},
    {Label::ue_sta, "SDES", 0x20},
    {Label::ue_sta, "TLP", 0x1000},
    {Label::ue_sta, "FCP", 0x2000},
    {Label::ue_sta, "CmpltTO", 0x4000},
    {Label::ue_sta, "CmpltAbrt", 0x8000},
    {Label::ue_sta, "UnxCmplt", 0x10000},
    {Label::ue_sta, "RxOF", 0x20000},
    {Label::ue_sta, "MalfTLP", 0x40000},
    {Label::ue_sta, "ECRC", 0x80000},
    {Label::ue_sta, "UnsupReq", 0x100000},
    {Label::ue_sta, "ACSViol", 0x200000},
    {Label::ue_sta, "UncorrIntErr", 0x400000},
    {Label::ue_sta, "BlockedTLP", 0x800000},
    {Label::ue_sta, "AtomicOpBlocked", 0x1000000},
    {Label::ue_sta, "TLPBlockedErr", 0x2000000},
    {Label::ue_sta, "PoisonTLPBlocked", 0x4000000},
    {Label::ue_sta, "DMWrReqBlocked", 0x8000000},
    {Label::ue_sta, "IDECheck", 0x10000000},
    {Label::ce_sta, "RxErr", 0x1},
    {Label::ce_sta, "BadTLP", 0x40},
    {Label::ce_sta, "BadDLLP", 0x80},
    {Label::ce_sta, "Rollover", 0x100},
    {Label::ce_sta, "Timeout", 0x1000},
    {Label::ce_sta, "AdvNonFatalErr", 0x2000},
    {Label::ce_sta, "NonFatalErr", 0x2000},  // up to 3.6
    {Label::ce_sta, "CorrIntErr", 0x4000},
    {Label::ce_sta, "HeaderOF", 0x8000},
}};

void take_acs(AcsBits& bits, std::string_view name, bool value) {
  for (const auto& flag : kAcsFlags) {
    if (flag.name == name && !(bits.*flag.field).is_known()) bits.*flag.field = value;
  }
}

void take_aer(Label label, std::string_view name, bool value, Known<std::uint32_t>& word) {
  for (const auto& bit : kAerBits) {
    if (bit.label == label && bit.name == name) word = word.value_or(0) | (value ? bit.mask : 0);
  }
}

}  // namespace

RegisterLabel register_label(std::string_view label) {
  if (label.size() < 5 || label.size() > 12) return Label::none;
  for (const auto& row : kLabels) {
    if (row.name == label) return row.label;
  }
  return Label::none;
}

void take_register_flag(RegisterLabel label, std::string_view name, bool value, RegisterValues& values) {
  switch (label) {
    case Label::none:
    case Label::other: return;
    case Label::acs_cap: take_acs(values.acs.capability, name, value); return;
    case Label::acs_ctl: take_acs(values.acs.control, name, value); return;
    case Label::ue_sta: take_aer(label, name, value, values.aer.uncorrectable); return;
    case Label::ce_sta: take_aer(label, name, value, values.aer.correctable); return;
    case Label::iov_ctl:
      if (name == "Enable" && !values.sriov.enabled.is_known()) values.sriov.enabled = value;
      return;
    default: break;
  }
  for (const auto& flag : kExpressFlags) {
    if (flag.label == label && flag.name == name && !(values.express.*flag.field).is_known()) {
      values.express.*flag.field = value;
    }
  }
}

}  // namespace gpucoop
