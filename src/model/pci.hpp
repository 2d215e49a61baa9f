#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.hpp"
#include "base/known.hpp"

namespace gpucoop {

/// Speed code as in Link Status: 1 = 2.5 GT/s … 6 = 64 GT/s, 7 = 128 GT/s (PCI Express Base, LNKCAP/LNKSTA).
enum class LinkSpeed : std::uint8_t { gen1 = 1, gen2, gen3, gen4, gen5, gen6, gen7 };

/// GT/s per lane: 2.5, 5, 8, 16, 32, 64, 128.
[[nodiscard]] double gigatransfers(LinkSpeed speed);
/// GB/s of one lane in one direction after encoding (8b/10b up to gen2, 128b/130b up to gen5,
/// 242/256 FLIT from gen6): 0.25, 0.5, 0.985, 1.969, 3.938, 7.5625, 15.125.
[[nodiscard]] double lane_gbytes_per_s(LinkSpeed speed);
/// The speed whose `gigatransfers` is nearest within 1 %, or nullopt.
[[nodiscard]] std::optional<LinkSpeed> speed_from_gigatransfers(double gts);
/// 1, 2, 4, 8, 12, 16 or 32.
[[nodiscard]] bool is_link_width(unsigned lanes);

/// Device/Port Type of the PCI Express Capabilities register (bits 7:4).
enum class PortType : std::uint8_t {
  endpoint = 0,
  legacy_endpoint = 1,
  root_port = 4,
  switch_upstream = 5,
  switch_downstream = 6,
  pcie_to_pci_bridge = 7,
  pci_to_pcie_bridge = 8,
  integrated_endpoint = 9,
  event_collector = 10,
};
[[nodiscard]] std::string_view to_string(PortType type);

/// Access Control Services bits, the same in capability and control.
struct AcsBits {
  Known<bool> source_validation;
  Known<bool> translation_blocking;
  Known<bool> request_redirect;
  Known<bool> completion_redirect;
  Known<bool> upstream_forwarding;
  Known<bool> egress_control;
  Known<bool> direct_translated;
};
struct Acs {
  AcsBits capability;
  AcsBits control;
};

/// The PCI Express capability. Registers that the capability's version does not have are *absent*.
struct PciExpress {
  /// One of which nothing is known, for `reason`, for sources that then add what they do know.
  [[nodiscard]] static PciExpress unknown(Reason reason);

  Known<std::uint8_t> version;
  Known<PortType> type;
  Known<bool> slot_implemented;

  // Device Capabilities / Control / Status; payload and read request sizes in bytes.
  Known<std::uint16_t> max_payload_supported;
  Known<std::uint16_t> max_payload;
  Known<std::uint16_t> max_read_request;
  Known<bool> correctable_error;
  Known<bool> non_fatal_error;
  Known<bool> fatal_error;
  Known<bool> unsupported_request;

  // Link Capabilities / Status / Control. Absent on integrated endpoints.
  Known<LinkSpeed> max_speed;  ///< highest bit of Link Capabilities 2 where there is one, else LnkCap's code
  Known<std::uint8_t> max_width;
  Known<LinkSpeed> speed;
  Known<std::uint8_t> width;  ///< 0: link down
  Known<bool> link_training;
  Known<bool> dll_active;
  Known<bool> bandwidth_management;  ///< LBMS: retrained for reliability or by software
  Known<bool> autonomous_bandwidth;  ///< LABS: the hardware changed speed or width by itself
  Known<bool> link_disabled;
  Known<LinkSpeed> target_speed;  ///< Link Control 2

  // Device Capabilities 2 / Control 2.
  Known<bool> atomic_routing;
  Known<bool> atomic_completer32;
  Known<bool> atomic_completer64;
  Known<bool> atomic_completer128;
  Known<bool> atomic_requester_enable;
  Known<bool> atomic_egress_block;
  Known<bool> ari_forwarding;

  // Slot Capabilities / Status.
  Known<std::uint16_t> physical_slot_number;
  Known<double> slot_power_limit_watts;
  Known<bool> hot_plug_capable;
  Known<bool> hot_plug_surprise;
  Known<bool> presence_detect;
};

/// One Base Address Register.
struct Bar {
  std::uint8_t index = 0;     ///< 0..5
  Known<std::uint64_t> size;  ///< bytes
  Known<bool> assigned;       ///< false: `<unassigned>`, `<ignored>` or address 0
  Known<bool> memory;         ///< false: I/O ports
  Known<bool> prefetchable;
  Known<bool> is64bit;
};

/// One entry of the Resizable BAR capability. Sizes in bytes.
struct ResizableBar {
  std::uint8_t index = 0;
  Known<std::uint64_t> size;
  std::vector<std::uint64_t> supported;
};

struct SrIov {
  Known<bool> enabled;
  Known<std::uint16_t> total_vfs;
  Known<std::uint16_t> num_vfs;
  Known<std::uint16_t> vf_offset;
  Known<std::uint16_t> vf_stride;
  Known<std::uint16_t> vf_device_id;
};

/// Advanced Error Reporting status words as read (names of the bits: PCI Express Base, AER).
struct AerStatus {
  Known<std::uint32_t> uncorrectable;
  Known<std::uint32_t> correctable;
};

/// The kernel's running totals of AER (sysfs `aer_dev_*`): errors since the device was found.
struct AerCounters {
  Known<std::uint64_t> correctable;
  Known<std::uint64_t> non_fatal;
  Known<std::uint64_t> fatal;
};

/// What the AMD compute driver states about a GPU (KFD topology).
struct KfdReading {
  Known<std::uint32_t> gfx_target_version;  ///< decimal major·10000 + minor·100 + step: 120001 is gfx1201
  Known<std::uint32_t> mec_firmware;        ///< `fw_version`, all of it
  Known<std::uint32_t> sdma_firmware;
  Known<unsigned> hive;        ///< number of its XGMI hive on this host, from 1; absent: in none
  Known<bool> large_bar;       ///< the processor reaches all of its memory
  Known<unsigned> partitions;  ///< nodes that the device shows as
};

/// What NVIDIA's driver shows of a GPU (/proc/driver/nvidia).
struct NvidiaReading {
  Known<unsigned> minor;  ///< N of /dev/nvidiaN
  Known<bool> mig;        ///< it is split into MIG instances
};

/// Bus numbers of a type 1 header.
struct BusNumbers {
  std::uint8_t primary = 0;
  std::uint8_t secondary = 0;
  std::uint8_t subordinate = 0;
  friend bool operator==(const BusNumbers&, const BusNumbers&) = default;
};

/// Where in the inputs something was read: index into Recording::sources and a line from 1 (0: no line).
struct Place {
  std::uint16_t source = 0;
  std::uint32_t line = 0;
};

/// What was read about one PCI function. Nothing here is concluded.
struct PciDevice {
  Address address;
  std::vector<Place> places;  ///< every place it was read at, best source first

  Known<std::uint16_t> vendor_id;
  Known<std::uint16_t> device_id;
  Known<std::uint16_t> subsystem_vendor_id;
  Known<std::uint16_t> subsystem_device_id;
  Known<std::uint16_t> class_code;  ///< base class and sub-class, for example 0x0300
  Known<std::string> name;          ///< vendor and device as the source spells them, without ids and revision
  Known<std::string> subsystem_name;
  Known<std::uint8_t> revision;
  Known<std::uint8_t> header_type;  ///< 0 endpoint, 1 bridge, 2 CardBus; multifunction bit removed
  Known<BusNumbers> buses;          ///< absent for header type 0

  /// The bridge above, as a source states it (tree, -PP path, XML nesting, sysfs). Absent: on a root bus.
  /// Unknown where only bus numbers can tell.
  Known<Address> stated_parent;
  /// The source leaves out bridges between `stated_parent` and this (NCCL topology XML).
  bool parent_skips_levels = false;
  /// The root bus (host bridge) as a source states it: domain and bus number of `-[0000:c0]-`, `pci0000:c0`.
  Known<std::uint8_t> stated_root_bus;

  bool lost = false;           ///< all ones: `!!! Unknown header type 7f`, `(rev ff)`
  bool access_denied = false;  ///< capabilities were not readable

  Known<PciExpress> express;  ///< absent: no PCI Express capability (or a conventional device)
  Known<Acs> acs;
  Known<AerStatus> aer;
  Known<AerCounters> aer_counters;  ///< absent: the kernel keeps none for it
  Known<SrIov> sriov;
  Known<std::uint8_t> ari_next_function;
  std::vector<Bar> bars;
  std::vector<ResizableBar> resizable_bars;

  Known<std::string> driver;  ///< absent: none bound
  std::vector<std::string> modules;
  Known<int> numa_node;
  Known<int> package;  ///< socket number
  Known<std::uint32_t> iommu_group;
  Known<std::string> physical_slot;  ///< `Physical Slot:` or the name in /sys/bus/pci/slots
  Known<std::string> slot_label;     ///< SMBIOS designation or `DeviceName:`
  Known<std::string> power_state;    ///< `D0`, `D3hot`, …
  Known<Address> physical_function;  ///< for an SR-IOV VF; absent where known not to be one

  Known<std::string> acpi_path;       ///< `\\_SB_.PCI0.GPP0`
  Known<std::string> runtime_status;  ///< `active`, `suspended`, … of runtime power management
  Known<unsigned> render_minor;       ///< N of /dev/dri/renderDN; absent: none
  Known<std::uint64_t> vram_bytes;    ///< device memory as the driver states it
  Known<KfdReading> kfd;              ///< absent: the compute driver lists its GPUs, and this is none of them
  Known<NvidiaReading> nvidia;        ///< absent: NVIDIA's driver lists its GPUs, and this is none of them

  /// What the driver decided about 32- or 64-bit AtomicOps from this GPU to host memory: the flags of KFD's link from
  /// the GPU to its processor (drivers/gpu/drm/amd/amdkfd/kfd_topology.c), read as ROCr reads them.
  Known<bool> driver_atomics;

  /// hwloc states only a rate: GB/s in one direction of this device's upstream link. 0 is unknown.
  Known<double> stated_link_gbytes_per_s;
};

}  // namespace gpucoop
