#include "read/host/host_line.hpp"

#include <array>
#include <optional>

#include "read/log/prefix.hpp"
#include "read/text.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMostParameters = 1024;

bool contains(std::string_view s, std::string_view part) { return s.find(part) != std::string_view::npos; }
bool is_word(char c) { return is_digit(c) || is_alpha(c); }

std::string_view next_word(std::string_view& rest) {
  rest = trim(rest);
  const std::size_t end = rest.find_first_of(" \t");
  const std::string_view w = rest.substr(0, end);
  rest.remove_prefix(w.size());
  return w;
}

template <class T>
bool set_once(Known<T>& field, T value) {
  if (field.is_known()) return false;
  field = std::move(value);
  return true;
}

/// `6.12.63+deb13-amd64`
bool is_release(std::string_view s) {
  if (s.size() < 3 || s.size() > 64 || !is_digit(s[0]) || !contains(s, ".")) return false;
  for (const char c : s) {
    if (!is_word(c) && c != '.' && c != '-' && c != '+' && c != '_' && c != '~') return false;
  }
  return true;
}

std::optional<unsigned> number(std::string_view s) {
  unsigned base = 10;
  if (starts_with(s, "0x")) {
    base = 16;
    s.remove_prefix(2);
  }
  if (s.empty() || s.size() > 5) return std::nullopt;
  unsigned value = 0;
  for (const char c : s) {
    unsigned d = 16;
    if (is_digit(c)) {
      d = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      d = static_cast<unsigned>(c - 'a' + 10);
    }
    if (d >= base) return std::nullopt;
    value = value * base + d;
  }
  return value;
}

/// The value of `label : value` and `label=value`; nullopt where the line has another label.
std::optional<std::string_view> labelled(std::string_view line, std::string_view label) {
  if (!starts_with(line, label)) return std::nullopt;
  line = trim(line.substr(label.size()));
  if (!starts_with(line, ":")) return std::nullopt;
  return trim(line.substr(1));
}

/// `Linux version 6.8.0-45-generic (…` and `Linux HOST 6.8.0-45-generic #45-Ubuntu SMP … x86_64 GNU/Linux`.
bool read_kernel(std::string_view line, HostReading& host) {
  std::string_view rest = line.substr(5);
  std::string_view second = next_word(rest);
  std::string_view release = next_word(rest);
  if (second != "version") {
    rest = trim(rest);
    if (!starts_with(rest, "#") && !contains(rest, "GNU/Linux")) return false;
  }
  if (!is_release(release)) return false;
  set_once(host.kernel, std::string(release));
  return true;
}

bool read_command_line(std::string_view parameters, HostReading& host) {
  set_once(host.command_line, admitted_parameters(parameters));
  read_iommu_parameters(parameters, host);
  return true;
}

/// `DMI: ASUS System Product Name/PRIME X570-P, BIOS 4021 08/09/2021`: vendor, product and board, never a serial.
bool read_board(std::string_view text, HostReading& host) {
  const std::size_t bios = text.find(", BIOS ");
  if (bios > 160) return false;  // npos too
  const std::string_view board = trim(text.substr(0, bios));
  if (board.empty()) return false;
  set_once(host.board, std::string(board));
  if (names_virtual_machine(board)) host.hypervisor = true;
  return true;
}

/// `smpboot: CPU0: AMD Ryzen 9 7950X 16-Core Processor (family: 0x19, model: 0x61, stepping: 0x2)`
bool read_smpboot(std::string_view line, HostReading& host) {
  const std::size_t family = line.find("(family: ");
  const std::size_t model = line.find(", model: ");
  const std::size_t end = line.find(", stepping: ");
  if (family == std::string_view::npos || model == std::string_view::npos || end == std::string_view::npos ||
      model < family + 9 || end < model + 9) {
    return false;
  }
  const auto f = number(line.substr(family + 9, model - family - 9));
  const auto m = number(line.substr(model + 9, end - model - 9));
  if (!f || !m) return false;
  if (contains(line, "Intel(R)")) set_once(host.cpu_vendor, std::string("GenuineIntel"));
  if (contains(line, " AMD ")) set_once(host.cpu_vendor, std::string("AuthenticAMD"));
  set_once(host.cpu_family, *f);
  set_once(host.cpu_model, *m);
  return true;
}

bool read_cpu_vendor(std::string_view value, HostReading& host) {
  if (value.empty() || value.size() > 24) return false;
  for (const char c : value) {
    if (!is_word(c)) return false;
  }
  set_once(host.cpu_vendor, std::string(value));
  return true;
}

bool read_cpu_number(std::string_view value, Known<unsigned>& field) {
  const auto n = number(value);
  if (!n) return false;
  set_once(field, *n);
  return true;
}

/// lscpu and /proc/cpuinfo. `Model` alone is also the label of disks and boards: only a number is one of a CPU.
bool read_cpu(std::string_view line, HostReading& host) {
  for (const std::string_view label : {"vendor_id", "Vendor ID"}) {
    if (const auto value = labelled(line, label)) return read_cpu_vendor(*value, host);
  }
  for (const std::string_view label : {"cpu family", "CPU family"}) {
    if (const auto value = labelled(line, label)) return read_cpu_number(*value, host.cpu_family);
  }
  for (const std::string_view label : {"model", "Model"}) {
    if (const auto value = labelled(line, label)) return read_cpu_number(*value, host.cpu_model);
  }
  if (const auto value = labelled(line, "flags")) {
    if (!contains(*value, " hypervisor")) return false;
    return set_once(host.hypervisor, true);
  }
  return false;
}

bool read_iommu(std::string_view line, HostReading& host) {
  const std::size_t at = line.find("Default domain type: ");
  if (at != std::string_view::npos) {
    const std::string_view type = line.substr(at + 21);
    if (starts_with(type, "Passthrough")) {
      host.iommu_translating = false;
      return true;
    }
    // The line is printed even where no IOMMU is in use; a parameter that turns it off is stronger.
    if (starts_with(type, "Translated")) {
      set_once(host.iommu_translating, true);
      return true;
    }
    return false;
  }
  if (starts_with(line, "DMAR: IOMMU disabled")) {
    host.iommu_translating = false;
    return true;
  }
  return false;
}

}  // namespace

bool names_virtual_machine(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "QEMU",         "VMware",    "VirtualBox", "Virtual Machine", "Standard PC (",
      "Xen HVM domU", "OpenStack", "Bochs",      "Parallels",       "oVirt",
  };
  for (const std::string_view n : kNames) {
    if (contains(name, n)) return true;
  }
  return false;
}

std::string admitted_parameters(std::string_view command_line) {
  // Names whose values are modes, numbers, PCI addresses or module names; everything else may be personal.
  static constexpr std::array<std::string_view, 14> kPrefixes = {
      "iommu=",  "iommu.",  "amd_iommu", "intel_iommu", "pci=", "pcie_",         "pcie_aspm",
      "amdgpu.", "radeon.", "nouveau.",  "i915.",       "xe.",  "vfio-pci.ids=", "modprobe.blacklist=",
  };
  std::string result;
  command_line = command_line.substr(0, 4096);
  while (result.size() < kMostParameters) {
    const std::string_view w = next_word(command_line);
    if (w.empty()) break;
    if (w.size() > 256) continue;
    bool admitted = false;
    for (const std::string_view prefix : kPrefixes) admitted = admitted || starts_with(w, prefix);
    if (!admitted || w.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:;=@-") !=
                         std::string_view::npos) {
      continue;
    }
    if (!result.empty()) result += ' ';
    result += w;
  }
  return result;
}

void read_iommu_parameters(std::string_view command_line, HostReading& host) {
  static constexpr std::array<std::string_view, 7> kNotTranslating = {
      "iommu=pt",       "iommu=off",    "amd_iommu=off", "intel_iommu=off", "iommu.passthrough=1",
      "intel_iommu=pt", "amd_iommu=pt",
  };
  command_line = command_line.substr(0, 4096);
  for (std::string_view w = next_word(command_line); !w.empty(); w = next_word(command_line)) {
    for (const std::string_view p : kNotTranslating) {
      if (w == p) host.iommu_translating = false;
    }
  }
}

bool read_host_line(std::string_view line, HostReading& host) {
  const std::string_view text = trim(strip_log_prefix(line).text);
  if (text.size() < 6) return false;
  switch (text[0]) {
    case 'L': return starts_with(text, "Linux ") && read_kernel(text, host);
    case 'B':
      if (starts_with(text, "BOOT_IMAGE=")) return read_command_line(text, host);
      if (starts_with(text, "Booting paravirtualized kernel on ")) {
        return set_once(host.hypervisor, !contains(text, "bare hardware"));
      }
      return false;
    case 'C':
      if (starts_with(text, "Command line: ")) return read_command_line(text.substr(14), host);
      return read_cpu(text, host);
    case 'K': return starts_with(text, "Kernel command line: ") && read_command_line(text.substr(21), host);
    case 'D':
      if (starts_with(text, "DMI: ")) return read_board(text.substr(5), host);
      return starts_with(text, "DMAR: ") && read_iommu(text, host);
    case 'H':
      if (starts_with(text, "Hardware name: ")) return read_board(text.substr(15), host);
      if (starts_with(text, "Hypervisor detected: ")) {
        host.hypervisor = true;
        return true;
      }
      if (const auto value = labelled(text, "Hypervisor vendor")) {
        host.hypervisor = true;
        return true;
      }
      return false;
    case 'i': return starts_with(text, "iommu: ") && read_iommu(text, host);
    case 's': return starts_with(text, "smpboot: CPU0: ") && read_smpboot(text, host);
    case 'v':
    case 'V':
    case 'c':
    case 'm':
    case 'M':
    case 'f': return read_cpu(text, host);
    default: return false;
  }
}

}  // namespace gpucoop
