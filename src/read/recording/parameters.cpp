#include "read/recording/parameters.hpp"

#include <algorithm>
#include <array>

#include "base/address.hpp"
#include "read/recording/form.hpp"
#include "read/text.hpp"

namespace gpucoop::recording_file {
namespace {

/// Keys as they stand before `=`, and prefixes of keys, which end in `.`.
constexpr auto kKeys = std::to_array<std::string_view>({"iommu",         "iommu.passthrough",
                                                        "iommu.strict",  "iommu.forcedac",
                                                        "amd_iommu",     "amd_iommu_intr",
                                                        "intel_iommu",   "pci",
                                                        "pcie_aspm",     "pcie_aspm.policy",
                                                        "pcie_ports",    "pcie_port_pm",
                                                        "pcie_hp",       "pcie_bus_perf",
                                                        "pcie_bus_safe", "pcie_bus_tune_off",
                                                        "vfio-pci.ids",  "modprobe.blacklist",
                                                        "amdgpu.",       "radeon.",
                                                        "nouveau.",      "i915.",
                                                        "xe.",           "nvidia."});

/// Words that values of these keys have (Documentation/admin-guide/kernel-parameters.txt; modules of GPUs).
constexpr auto kWords = std::to_array<std::string_view>({"on",
                                                         "off",
                                                         "auto",
                                                         "force",
                                                         "noforce",
                                                         "pt",
                                                         "nopt",
                                                         "soft",
                                                         "merge",
                                                         "nomerge",
                                                         "biomerge",
                                                         "forcesac",
                                                         "fullflush",
                                                         "force_isolation",
                                                         "force_enable",
                                                         "pgtbl_v1",
                                                         "pgtbl_v2",
                                                         "irtcachedis",
                                                         "legacy",
                                                         "vapic",
                                                         "strict",
                                                         "igfx_off",
                                                         "sp_off",
                                                         "sm_on",
                                                         "sm_off",
                                                         "tboot_noforce",
                                                         "nobounce",
                                                         "strict_gfx",
                                                         "usedac",
                                                         "allowdac",
                                                         "noagp",
                                                         "pci",
                                                         "memaper",
                                                         "panic",
                                                         "nopanic",
                                                         "calgary",
                                                         "native",
                                                         "compat",
                                                         "dpc-native",
                                                         "earlydump",
                                                         "bios",
                                                         "nobios",
                                                         "conf1",
                                                         "conf2",
                                                         "noaer",
                                                         "nodomains",
                                                         "nommconf",
                                                         "check_enable_amd_mmconf",
                                                         "nomsi",
                                                         "noioapicquirk",
                                                         "ioapicreroute",
                                                         "noioapicreroute",
                                                         "biosirq",
                                                         "rom",
                                                         "norom",
                                                         "nobar",
                                                         "irqmask",
                                                         "pirqaddr",
                                                         "lastbus",
                                                         "assign-busses",
                                                         "usepirqmask",
                                                         "noacpi",
                                                         "use_crs",
                                                         "nocrs",
                                                         "use_e820",
                                                         "no_e820",
                                                         "routeirq",
                                                         "skip_isa_align",
                                                         "noearly",
                                                         "cbiosize",
                                                         "cbmemsize",
                                                         "resource_alignment",
                                                         "ecrc",
                                                         "hpiosize",
                                                         "hpmmiosize",
                                                         "hpmmioprefsize",
                                                         "hpmemsize",
                                                         "hpbussize",
                                                         "realloc",
                                                         "noats",
                                                         "pcie_scan_all",
                                                         "big_root_window",
                                                         "disable_acs_redir",
                                                         "config_acs",
                                                         "noari",
                                                         "notph",
                                                         "bfsort",
                                                         "nobfsort",
                                                         "pcie_bus_tune_off",
                                                         "pcie_bus_safe",
                                                         "pcie_bus_perf",
                                                         "pcie_bus_peer2peer",
                                                         "default",
                                                         "performance",
                                                         "powersave",
                                                         "powersupersave",
                                                         "nvidia",
                                                         "nvidia_drm",
                                                         "nvidia-drm",
                                                         "nvidia_modeset",
                                                         "nouveau",
                                                         "nvidiafb",
                                                         "amdgpu",
                                                         "radeon",
                                                         "i915",
                                                         "xe",
                                                         "snd_hda_intel"});

bool is_key(std::string_view key) {
  for (const auto known : kKeys) {
    if (known == key) return true;
    if (known.back() != '.' || !starts_with(key, known)) continue;
    const auto name = key.substr(known.size());
    const bool plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
    return plain && !name.empty() && name.size() <= 40 && !is_identity(name);
  }
  return false;
}

bool all_in(std::string_view s, std::string_view set) { return s.find_first_not_of(set) == std::string_view::npos; }

/// `16`, `-1`, `0x1f`, `64M`, and ids of four digits.
bool is_number(std::string_view s) {
  constexpr std::size_t kMost = 10;
  if (starts_with(s, "-")) s.remove_prefix(1);
  if (s.empty() || s.size() > kMost) return false;
  if (starts_with(s, "0x")) return s.size() > 2 && all_in(s.substr(2), "0123456789abcdefABCDEF");
  if (s.size() == 4 && all_in(s, "0123456789abcdefABCDEF")) return true;
  if (s.size() > 1 && (s.back() == 'K' || s.back() == 'M' || s.back() == 'G')) s.remove_suffix(1);
  constexpr std::size_t kMostDigits = 6;
  return s.size() <= kMostDigits && all_in(s, "0123456789");
}

/// Takes a PCI address, word or number from the start of a value.
bool take_one(std::string_view& value) {
  std::size_t length = 0;
  if (parse_address_prefix(value, length)) {
    value.remove_prefix(length);
    return true;
  }
  const auto end = std::min(value.find_first_of(",:;=@"), value.size());
  const auto one = value.substr(0, end);
  value.remove_prefix(end);
  return one.empty() || is_number(one) || std::find(kWords.begin(), kWords.end(), one) != kWords.end();
}

bool is_value(std::string_view value) {
  if (value.find('@') == std::string_view::npos && is_identity(value)) return false;
  while (!value.empty()) {
    if (!take_one(value)) return false;
    if (!value.empty()) {
      if (std::string_view(",:;=@").find(value[0]) == std::string_view::npos) return false;
      value.remove_prefix(1);
    }
  }
  return true;
}

}  // namespace

std::string recorded_parameters(std::string_view command_line) {
  constexpr std::size_t kMost = 1024;
  std::string result;
  while (!command_line.empty()) {
    const auto parameter = next_part(command_line, ' ');
    auto value = parameter;
    const auto key = next_part(value, '=');
    if (parameter.empty() || !is_key(key) || !is_value(value)) continue;
    if (result.size() + 1 + parameter.size() > kMost) break;
    if (!result.empty()) result += ' ';
    result += parameter;
  }
  return result;
}

}  // namespace gpucoop::recording_file
