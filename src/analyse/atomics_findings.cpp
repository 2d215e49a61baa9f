#include <fmt/format.h>

#include "analyse/atomics.hpp"
#include "analyse/kernel_window.hpp"

namespace gpucoop {
namespace {

std::string driver_of(const PciDevice& device) {
  if (device.driver.is_known()) return device.driver.value();
  return device.driver.is_absent() ? "none" : "unknown";
}

std::string why_requester_is_off(const PciDevice& device) {
  const auto driver = driver_of(device);
  if (driver == "none") {
    return "no driver is bound to it; amdgpu sets the bit when it starts. Bind amdgpu and read again";
  }
  if (driver == "amdgpu") {
    return "the card's requester is fixed off, or the kernel refused for a reason that these registers do not show. "
           "Look "
           "for \"PCIE atomic ops is not supported\" in the kernel log";
  }
  if (driver == "unknown") {
    return "no driver is bound to it, or one that does not ask for the bit (lspci -k shows which). Bind amdgpu and "
           "read "
           "again";
  }
  return fmt::format("it is bound to {}, which does not ask for the bit. Bind amdgpu and read again", driver);
}

}  // namespace

std::vector<Warning> atomics_findings(const AtomicsCase& gpu, const AtomicsJudgement& judgement,
                                      const HostReading& host) {
  std::vector<Warning> findings;
  if (gpu.vendor != Vendor::amd || gpu.integrated || gpu.virtual_function || gpu.lost) return findings;
  const auto& device = *gpu.chain->steps.back().device;
  const auto a = short_form(device.address);
  const auto where = to_string(device.address);
  const bool on = judgement.requester_enabled.is(true);
  const bool off = judgement.requester_enabled.is(false) || judgement.requester_enabled.is_absent();

  if (judgement.path == Tri::yes && off) {
    findings.push_back(
        {"atomics.requester-off",
         fmt::format("The path of {} carries atomic operations, but the card's own requester bit (Device "
                     "Control 2, bit 6) is off. Likely cause: {}.",
                     a, why_requester_is_off(device)),
         where});
  }
  if (judgement.path == Tri::no && on) {
    findings.push_back(
        {"atomics.requester-on-blocked-path",
         fmt::format("The requester bit of {} (Device Control 2, bit 6) is on although its path blocks "
                     "atomic operations. Likely causes: a virtual machine whose bridges are not the real "
                     "ones, firmware, or a bit set by hand (setpci), which changes nothing for a driver "
                     "that has already started.",
                     a),
         where});
  }
  if (judgement.driver != Tri::unknown && judgement.path != Tri::unknown && judgement.driver != judgement.path) {
    const auto* text =
        judgement.driver == Tri::no
            ? "The driver says that {} has no atomic operations, but the registers of its path allow "
              "them. The driver decides. Likely causes: the message is from another boot or slot, or the "
              "kernel refused for a reason of its own."
            : "The driver uses atomic operations on {}, but by the registers its path blocks them. The "
              "driver decides; the registers may be from another boot or slot.";
    findings.push_back({"atomics.driver-disagrees", fmt::format(fmt::runtime(text), a), where});
  }
  if (gpu.virtualized == Tri::yes && !gpu.chain->root_port() && !on && host.kernel.is_known() &&
      refuses_hidden_root_port(host.kernel.value())) {
    findings.push_back(
        {"atomics.kernel-refuses-hidden-root-port",
         fmt::format("Kernel {} refuses atomic operations in a virtual machine that hides the root port of "
                     "{}. That is the kernel, not the hardware: it is mended in 7.3-rc6, 6.12.113 and "
                     "6.1.191.",
                     host.kernel.value(), a),
         where});
  }
  return findings;
}

}  // namespace gpucoop
