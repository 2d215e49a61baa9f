#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "read/read.hpp"

namespace gpucoop::reading {

/// The rules that these tests need: one log cause.
inline const Rules& rules() {
  static const Rules made = [] {
    Rules r;
    LogCause cause;
    cause.id = "no-atomics";
    cause.patterns = {"PCIE atomic ops is not supported"};
    r.log_causes.push_back(cause);
    return r;
  }();
  return made;
}

inline Result<Recording> try_read(std::string text, ReadOptions options = {}) {
  return read_inputs({Input{"host.txt", std::move(text)}}, rules(), options);
}

inline Recording read(std::string text) {
  auto result = try_read(std::move(text));
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().what));
  return std::move(result).value();
}

inline const PciDevice& device(const Recording& recording, std::string_view address) {
  const auto* found = find_device(recording, parse_address(address).value());
  REQUIRE(found != nullptr);
  return *found;
}

inline const PciExpress& express(const Recording& recording, std::string_view address) {
  const auto& d = device(recording, address);
  REQUIRE(d.express.is_known());
  return d.express.value();
}

template <class T>
bool unknown_because(const Known<T>& known, Reason reason) {
  return known.is_unknown() && known.reason() == reason;
}

inline bool warns(const Recording& recording, std::string_view code) {
  for (const auto& w : recording.warnings) {
    if (w.code == code) return true;
  }
  return false;
}

inline std::string warned_at(const Recording& recording, std::string_view code) {
  for (const auto& w : recording.warnings) {
    if (w.code == code) return w.where;
  }
  return "no such warning";
}

/// `text` with `from` replaced by `to` everywhere.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Each line of `text` between `before` and `after`.
inline std::string each_line(const std::string& text, std::string_view before, std::string_view after) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find('\n', begin), text.size());
    out.append(before).append(text, begin, end - begin).append(after).append("\n");
    begin = end + 1;
  }
  return out;
}

/// A root port and a card, as lspci 3.9 -nnvvv prints them.
inline constexpr const char* kTwoDevices =
    "00:00.0 Host bridge [0600]: Example Corp. Root Complex [1e57:0001]\n"
    "\tControl: I/O- Mem- BusMaster- SpecCycle-\n"
    "\tStatus: Cap- 66MHz- UDF- FastB2B-\n"
    "\n"
    "00:01.0 PCI bridge [0604]: Example Corp. GPP Bridge [6:0] [1e57:1483] (rev 03) (prog-if 00 [Normal decode])\n"
    "\tSubsystem: Example Corp. GPP Bridge [1e57:7270]\n"
    "\tControl: I/O+ Mem+ BusMaster+ SpecCycle-\n"
    "\tStatus: Cap+ 66MHz- UDF- FastB2B- >TAbort- <TAbort- <MAbort- >SERR- <PERR- INTx-\n"
    "\tNUMA node: 1\n"
    "\tIOMMU group: 7\n"
    "\tBus: primary=00, secondary=0b, subordinate=0b, sec-latency=0\n"
    "\tMemory behind bridge: 81600000-817fffff [size=2M]\n"
    "\tCapabilities: [50] Power Management version 3\n"
    "\t\tFlags: PMEClk- DSI- D1- D2- AuxCurrent=0mA PME(D0+,D1-,D2-,D3hot+,D3cold+)\n"
    "\t\tStatus: D0 NoSoftRst- PME-Enable- DSel=0 DScale=0 PME-\n"
    "\tCapabilities: [58] Express (v2) Root Port (Slot+), MSI 00\n"
    "\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0\n"
    "\t\t\tExtTag+ RBE+\n"
    "\t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n"
    "\t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n"
    "\t\tDevSta:\tCorrErr- NonFatalErr+ FatalErr- UnsupReq+ AuxPwr- TransPend-\n"
    "\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L1, Exit Latency L1 <64us\n"
    "\t\t\tClockPM- Surprise- LLActRep+ BwNot+ ASPMOptComp+\n"
    "\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, Disabled- CommClk+\n"
    "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (downgraded)\n"
    "\t\t\tTrErr- Train- SlotClk+ DLActive+ BWMgmt+ ABWMgmt-\n"
    "\t\tSltCap:\tAttnBtn- PwrCtrl- MRL- AttnInd- PwrInd- HotPlug- Surprise+\n"
    "\t\t\tSlot #12, PowerLimit 75.000W; Interlock- NoCompl+\n"
    "\t\tSltCtl:\tEnable: AttnBtn- PwrFlt- MRL- PresDet- CmdCplt- HPIrq- LinkChg-\n"
    "\t\tSltSta:\tStatus: AttnBtn- PowerFlt- MRL- CmdCplt- PresDet+ Interlock-\n"
    "\t\t\tChanged: MRL- PresDet- LinkState+\n"
    "\t\tDevCap2: Completion Timeout: Range ABCD, TimeoutDis+ NROPrPrP- LTR+\n"
    "\t\t\t 10BitTagComp- 10BitTagReq- OBFF Not Supported, ExtFmt+ EETLPPrefix+, MaxEETLPPrefixes 1\n"
    "\t\t\t FRS- LN System CLS Not Supported, TPHComp- ExtTPHComp- ARIFwd+\n"
    "\t\t\t AtomicOpsCap: Routing- 32bit+ 64bit+ 128bitCAS-\n"
    "\t\tDevCtl2: Completion Timeout: 65ms to 210ms, TimeoutDis- LTR- OBFF Disabled, ARIFwd-\n"
    "\t\t\t AtomicOpsCtl: ReqEn- EgressBlck-\n"
    "\t\tLnkCap2: Supported Link Speeds: 2.5-32GT/s, Crosslink- Retimer- 2Retimers- DRS-\n"
    "\t\tLnkCtl2: Target Link Speed: 16GT/s, EnterCompliance- SpeedDis-\n"
    "\tCapabilities: [100 v1] Advanced Error Reporting\n"
    "\t\tUESta:\tDLP- SDES- TLP- FCP- CmpltTO+ CmpltAbrt- UnxCmplt- RxOF- MalfTLP- ECRC- UnsupReq- ACSViol+\n"
    "\t\tUEMsk:\tDLP+ SDES- TLP- FCP- CmpltTO- CmpltAbrt- UnxCmplt- RxOF- MalfTLP- ECRC- UnsupReq- ACSViol-\n"
    "\t\tCESta:\tRxErr+ BadTLP- BadDLLP- Rollover- Timeout- AdvNonFatalErr-\n"
    "\tCapabilities: [2a0 v1] Access Control Services\n"
    "\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans+\n"
    "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir- UpstreamFwd+ EgressCtrl- DirectTrans-\n"
    "\tKernel driver in use: pcieport\n"
    "\n"
    "0b:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 [Radeon AI PRO R9700] "
    "[1002:7551] (rev c0) (prog-if 00 [VGA controller])\n"
    "\tSubsystem: Example Corp. Device [1e57:0601]\n"
    "\tPhysical Slot: 12\n"
    "\tControl: I/O+ Mem+ BusMaster+ SpecCycle-\n"
    "\tRegion 0: Memory at 7800000000 (64-bit, prefetchable) [size=32G]\n"
    "\tRegion 2: Memory at <unassigned> (64-bit, prefetchable) [disabled]\n"
    "\tRegion 4: I/O ports at f000 [size=256]\n"
    "\tRegion 5: Memory at fcc00000 (32-bit, non-prefetchable) [size=512K]\n"
    "\tCapabilities: [64] Express (v2) Legacy Endpoint, MSI 00\n"
    "\t\tDevCap:\tMaxPayload 256 bytes, PhantFunc 0, Latency L0s <4us, L1 unlimited\n"
    "\t\t\tExtTag+ AttnBtn- AttnInd- PwrInd- RBE+ FLReset- SlotPowerLimit 75.000W\n"
    "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L0s L1\n"
    "\t\tLnkSta:\tSpeed 32GT/s, Width x16\n"
    "\t\t\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n"
    "\t\tDevCap2: Completion Timeout: Range ABCD, TimeoutDis+ NROPrPrP- LTR+\n"
    "\t\t\t AtomicOpsCap: 32bit+ 64bit+ 128bitCAS-\n"
    "\t\tDevCtl2: Completion Timeout: 50us to 50ms, TimeoutDis- LTR+ OBFF Disabled,\n"
    "\t\t\t AtomicOpsCtl: ReqEn+\n"
    "\tCapabilities: [200 v1] Physical Resizable BAR\n"
    "\t\tBAR 0: current size: 32GB, supported: 256MB 512MB 1GB 32GB\n"
    "\t\tBAR 2: current size: 256MB, supported: 2MB 256MB\n"
    "\tCapabilities: [328 v1] Alternative Routing-ID Interpretation (ARI)\n"
    "\t\tARICap:\tMFVC- ACS-, Next Function: 1\n"
    "\t\tARICtl:\tMFVC- ACS-, Function Group: 0\n"
    "\tKernel modules: amdgpu\n"
    "\n";

}  // namespace gpucoop::reading
