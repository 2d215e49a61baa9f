#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/known.hpp"

namespace gpucoop {

/// One System Slot of the firmware's tables (SMBIOS type 9). Firmware is often stale here: a claim, not a measurement.
struct FirmwareSlot {
  std::string designation;             ///< `PCIEX16_2`
  Known<std::uint8_t> type;            ///< the Slot Type code, for example 0xa5 PCI Express
  Known<std::uint8_t> width;           ///< electrical lanes
  Known<std::uint8_t> physical_width;  ///< lanes that the connector has (SMBIOS 3.4)
  Known<std::uint8_t> generation;      ///< PCI Express generation
  Known<std::uint16_t> slot_id;        ///< compared with Physical Slot Number
  Known<Address> address;              ///< absent: the firmware states none
  Known<bool> in_use;
};

/// A loaded kernel module that drives GPUs or matters to them.
struct KernelModule {
  std::string name;
  Known<std::string> version;  ///< absent: built with the kernel and of its version
};

/// A device node that GPU programs open.
struct DeviceNode {
  std::string path;       ///< `/dev/kfd`, `/dev/dri/renderD128`, `/dev/nvidiactl`
  Known<unsigned> mode;   ///< permission bits; absent: no such node
  Known<bool> may_open;   ///< the caller may read and write it
  Known<Address> device;  ///< the GPU it belongs to; absent: it belongs to none in particular
  /// The group that owns it, where it is one that distributions give GPUs to (`render`, `video`, `root`); other names
  /// may be personal and are left out.
  Known<std::string> group;
};

/// What was read about the host apart from its PCI devices.
struct HostReading {
  Known<std::string> kernel;        ///< release, for example `6.12.63+deb13-amd64`
  Known<std::string> command_line;  ///< kernel parameters that the allowlist admits
  Known<std::string> board;
  Known<std::string> cpu_vendor;  ///< `GenuineIntel`, `AuthenticAMD`, …
  Known<unsigned> cpu_family;
  Known<unsigned> cpu_model;
  Known<bool> hypervisor;         ///< a source says so (DMI, cpuid, log); devices are judged by analyse
  Known<bool> iommu_active;       ///< false: the kernel drives no IOMMU at all
  Known<bool> iommu_translating;  ///< default domain: translated, or passthrough/off

  Known<unsigned> numa_nodes;
  Known<bool> config_p2pdma;       ///< CONFIG_PCI_P2PDMA of the kernel
  Known<bool> config_hsa_amd_p2p;  ///< CONFIG_HSA_AMD_P2P of the kernel
  Known<std::string> container;    ///< `docker`, `podman`, `lxc`, `kubernetes`, `container`; absent: none
  Known<bool> user_namespace;      ///< the reader's user ids are mapped: root here is not root of the host
  Known<bool> amdgpu_pcie_p2p;     ///< amdgpu's parameter `pcie_p2p`; absent: the driver or the parameter is not there
  Known<std::uint64_t> shm_bytes;  ///< size of /dev/shm
  Known<std::uint64_t> memlock_bytes;  ///< soft limit on locked memory; absent: unlimited
  Known<unsigned> yama_ptrace_scope;   ///< absent: no Yama
  Known<bool> kernel_log;              ///< whether the kernel log could be read to its beginning
  /// Version of NVIDIA's libcuda.so.1, by the name of its file; absent: none of the usual folders has the library.
  Known<std::string> cuda_library;
  Known<bool> fabric_manager;  ///< NVIDIA's service that sets up NVSwitches runs; looked at where there are some
  Known<bool> superuser;       ///< the reader's user is number 0
  Known<std::vector<FirmwareSlot>> slots;
  std::vector<KernelModule> modules;
  std::vector<DeviceNode> nodes;
};

}  // namespace gpucoop
