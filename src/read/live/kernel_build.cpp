#include "read/live/kernel_build.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "read/host/kernel_config.hpp"

namespace gpucoop {
namespace {

constexpr std::size_t kMostConfig = std::size_t{4} << 20;

struct KernelBuild {
  static constexpr Topic kTopic = Topic::kernel_build;
  Known<bool> config_p2pdma;
  Known<bool> config_hsa_amd_p2p;
  std::vector<std::pair<std::string, Known<std::string>>> modules;
  Known<bool> amdgpu_pcie_p2p;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.config_p2pdma, self.config_hsa_amd_p2p, self.modules, self.amdgpu_pcie_p2p);
  }
};

/// Absent: neither file is there.
Known<std::string> configuration(const Roots& roots) {
  const auto proc = roots.open(roots.proc);
  const auto packed = proc.bytes("config.gz", kMostConfig);
  if (packed.is_known()) {
    const std::vector<std::uint8_t> bytes(packed.value().begin(), packed.value().end());
    auto text = gunzip(bytes, kMostConfig);
    if (!text.empty()) return text;
  }
  const auto damaged = Known<std::string>::unknown(Reason::damaged);
  const auto release = proc.folder("sys/kernel").text("osrelease");
  if (!release.is_known() || release.value().find('/') != std::string::npos) {
    return packed.is_known() ? damaged : packed;
  }
  const auto plain = roots.open(roots.boot).text(("config-" + release.value()).c_str(), kMostConfig);
  if (plain.is_absent() && packed.is_known()) return damaged;
  return plain;
}

void read_configuration(const Roots& roots, KernelBuild& build) {
  const auto config = configuration(roots);
  const auto read = [&](const char* option) {
    if (config.is_known()) return Known<bool>(config_option(config.value(), option));
    return config.is_unknown() ? Known<bool>::unknown(config.reason()) : Known<bool>();
  };
  build.config_p2pdma = read("CONFIG_PCI_P2PDMA");
  build.config_hsa_amd_p2p = read("CONFIG_HSA_AMD_P2P");
}

/// Letters, digits, dots and dashes, as versions of drivers are; anything else is somebody's own text.
bool is_version(const std::string& text) {
  return text.size() <= 64 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+_~") ==
             std::string::npos;
}

void read_modules(const Folder& modules, KernelBuild& build) {
  constexpr std::array<const char*, 9> kNames = {"amdgpu",     "i915",           "nouveau",  "nvidia", "nvidia_drm",
                                                 "nvidia_uvm", "nvidia_peermem", "vfio_pci", "xe"};
  for (const auto* name : kNames) {
    const auto module = modules.folder(name);
    if (!module.ok()) continue;
    auto version = module.text("version");
    if (version.is_known() && !is_version(version.value())) version = Known<std::string>::unknown(Reason::damaged);
    build.modules.emplace_back(name, version);
  }
  const auto p2p = modules.folder("amdgpu/parameters").text("pcie_p2p");
  if (p2p.is_absent()) {
    if (modules.ok()) build.amdgpu_pcie_p2p = Known<bool>::absent();
  } else if (p2p.is("Y") || p2p.is("N")) {
    build.amdgpu_pcie_p2p = p2p.is("Y");
  } else {
    build.amdgpu_pcie_p2p = Known<bool>::unknown(p2p.is_unknown() ? p2p.reason() : Reason::damaged);
  }
}

}  // namespace

void read_kernel_build(const Roots& roots, Reports& reports) {
  KernelBuild build;
  read_configuration(roots, build);
  read_modules(roots.open(roots.sys).folder("module"), build);
  reports.send(build);
}

bool take_kernel_build(const std::string& message, HostReading& host) {
  if (topic_of(message) != Topic::kernel_build) return false;
  auto build = unpacked<KernelBuild>(message);
  host.config_p2pdma = build.config_p2pdma;
  host.config_hsa_amd_p2p = build.config_hsa_amd_p2p;
  for (auto& [name, version] : build.modules) host.modules.push_back({name, std::move(version)});
  host.amdgpu_pcie_p2p = build.amdgpu_pcie_p2p;
  return true;
}

}  // namespace gpucoop
