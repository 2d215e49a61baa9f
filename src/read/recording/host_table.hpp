#pragma once

#include <tuple>

#include "model/host.hpp"
#include "read/recording/field.hpp"

namespace gpucoop::recording_file {

template <>
struct Table<FirmwareSlot> {
  static constexpr const char* name = "firmwareSlot";
  static constexpr auto rows = std::make_tuple(
      row("designation", &FirmwareSlot::designation, Form::label), row("type", &FirmwareSlot::type, Form::hex2),
      row("width", &FirmwareSlot::width), row("physical_width", &FirmwareSlot::physical_width),
      row("generation", &FirmwareSlot::generation), row("slot_id", &FirmwareSlot::slot_id),
      row("address", &FirmwareSlot::address), row("in_use", &FirmwareSlot::in_use));
};
static_assert(covers<FirmwareSlot>());

template <>
struct Table<KernelModule> {
  static constexpr const char* name = "module";
  static constexpr auto rows = std::make_tuple(needed("name", &KernelModule::name, Form::driver),
                                               row("version", &KernelModule::version, Form::version));
};
static_assert(covers<KernelModule>());

template <>
struct Table<DeviceNode> {
  static constexpr const char* name = "node";
  static constexpr auto rows =
      std::make_tuple(needed("path", &DeviceNode::path, Form::node_path), row("mode", &DeviceNode::mode),
                      row("may_open", &DeviceNode::may_open), row("device", &DeviceNode::device),
                      row("group", &DeviceNode::group, Form::node_group));
};
static_assert(covers<DeviceNode>());

template <>
struct Table<HostReading> {
  static constexpr const char* name = "host";
  static constexpr auto rows = std::make_tuple(
      row("kernel", &HostReading::kernel, Form::release),
      row("command_line", &HostReading::command_line, Form::parameters), row("board", &HostReading::board, Form::board),
      row("cpu_vendor", &HostReading::cpu_vendor, Form::cpu_vendor), row("cpu_family", &HostReading::cpu_family),
      row("cpu_model", &HostReading::cpu_model), row("hypervisor", &HostReading::hypervisor),
      row("iommu_active", &HostReading::iommu_active), row("iommu_translating", &HostReading::iommu_translating),
      row("numa_nodes", &HostReading::numa_nodes), row("config_p2pdma", &HostReading::config_p2pdma),
      row("config_hsa_amd_p2p", &HostReading::config_hsa_amd_p2p),
      row("container", &HostReading::container, Form::container), row("user_namespace", &HostReading::user_namespace),
      row("amdgpu_pcie_p2p", &HostReading::amdgpu_pcie_p2p), row("shm_bytes", &HostReading::shm_bytes),
      row("memlock_bytes", &HostReading::memlock_bytes), row("yama_ptrace_scope", &HostReading::yama_ptrace_scope),
      row("kernel_log", &HostReading::kernel_log), row("cuda_library", &HostReading::cuda_library, Form::version),
      row("fabric_manager", &HostReading::fabric_manager), left_out(&HostReading::superuser),
      row("slots", &HostReading::slots), row("modules", &HostReading::modules), row("nodes", &HostReading::nodes));
};
static_assert(covers<HostReading>());

}  // namespace gpucoop::recording_file
