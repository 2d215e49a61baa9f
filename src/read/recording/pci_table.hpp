#pragma once

#include <tuple>

#include "model/pci.hpp"
#include "read/recording/field.hpp"

namespace gpucoop::recording_file {

template <>
struct Table<BusNumbers> {
  static constexpr const char* name = "buses";
  static constexpr auto rows = std::make_tuple(row("primary", &BusNumbers::primary, Form::hex2),
                                               row("secondary", &BusNumbers::secondary, Form::hex2),
                                               row("subordinate", &BusNumbers::subordinate, Form::hex2));
};
static_assert(covers<BusNumbers>());

template <>
struct Table<AcsBits> {
  static constexpr const char* name = "acsBits";
  static constexpr auto rows = std::make_tuple(
      row("source_validation", &AcsBits::source_validation),
      row("translation_blocking", &AcsBits::translation_blocking), row("request_redirect", &AcsBits::request_redirect),
      row("completion_redirect", &AcsBits::completion_redirect),
      row("upstream_forwarding", &AcsBits::upstream_forwarding), row("egress_control", &AcsBits::egress_control),
      row("direct_translated", &AcsBits::direct_translated));
};
static_assert(covers<AcsBits>());

template <>
struct Table<Acs> {
  static constexpr const char* name = "acs";
  static constexpr auto rows = std::make_tuple(row("capability", &Acs::capability), row("control", &Acs::control));
};
static_assert(covers<Acs>());

template <>
struct Table<PciExpress> {
  static constexpr const char* name = "express";
  static constexpr auto rows = std::make_tuple(
      row("version", &PciExpress::version), row("type", &PciExpress::type),
      row("slot_implemented", &PciExpress::slot_implemented),
      row("max_payload_supported", &PciExpress::max_payload_supported), row("max_payload", &PciExpress::max_payload),
      row("max_read_request", &PciExpress::max_read_request), row("correctable_error", &PciExpress::correctable_error),
      row("non_fatal_error", &PciExpress::non_fatal_error), row("fatal_error", &PciExpress::fatal_error),
      row("unsupported_request", &PciExpress::unsupported_request), row("max_speed_gts", &PciExpress::max_speed),
      row("max_width", &PciExpress::max_width, Form::lanes), row("speed_gts", &PciExpress::speed),
      row("width", &PciExpress::width, Form::lanes), row("link_training", &PciExpress::link_training),
      row("dll_active", &PciExpress::dll_active), row("bandwidth_management", &PciExpress::bandwidth_management),
      row("autonomous_bandwidth", &PciExpress::autonomous_bandwidth), row("link_disabled", &PciExpress::link_disabled),
      row("target_speed_gts", &PciExpress::target_speed), row("atomic_routing", &PciExpress::atomic_routing),
      row("atomic_completer32", &PciExpress::atomic_completer32),
      row("atomic_completer64", &PciExpress::atomic_completer64),
      row("atomic_completer128", &PciExpress::atomic_completer128),
      row("atomic_requester_enable", &PciExpress::atomic_requester_enable),
      row("atomic_egress_block", &PciExpress::atomic_egress_block), row("ari_forwarding", &PciExpress::ari_forwarding),
      row("physical_slot_number", &PciExpress::physical_slot_number),
      row("slot_power_limit_watts", &PciExpress::slot_power_limit_watts),
      row("hot_plug_capable", &PciExpress::hot_plug_capable), row("hot_plug_surprise", &PciExpress::hot_plug_surprise),
      row("presence_detect", &PciExpress::presence_detect));
};
static_assert(covers<PciExpress>());

template <>
struct Table<Bar> {
  static constexpr const char* name = "bar";
  static constexpr auto rows = std::make_tuple(row("index", &Bar::index), row("size", &Bar::size),
                                               row("assigned", &Bar::assigned), row("memory", &Bar::memory),
                                               row("prefetchable", &Bar::prefetchable), row("is64bit", &Bar::is64bit));
};
static_assert(covers<Bar>());

template <>
struct Table<ResizableBar> {
  static constexpr const char* name = "resizableBar";
  static constexpr auto rows = std::make_tuple(row("index", &ResizableBar::index), row("size", &ResizableBar::size),
                                               row("supported", &ResizableBar::supported));
};
static_assert(covers<ResizableBar>());

template <>
struct Table<SrIov> {
  static constexpr const char* name = "sriov";
  static constexpr auto rows =
      std::make_tuple(row("enabled", &SrIov::enabled), row("total_vfs", &SrIov::total_vfs),
                      row("num_vfs", &SrIov::num_vfs), row("vf_offset", &SrIov::vf_offset),
                      row("vf_stride", &SrIov::vf_stride), row("vf_device_id", &SrIov::vf_device_id, Form::hex4));
};
static_assert(covers<SrIov>());

template <>
struct Table<AerStatus> {
  static constexpr const char* name = "aer";
  static constexpr auto rows = std::make_tuple(row("uncorrectable", &AerStatus::uncorrectable, Form::hex8),
                                               row("correctable", &AerStatus::correctable, Form::hex8));
};
static_assert(covers<AerStatus>());

template <>
struct Table<AerCounters> {
  static constexpr const char* name = "aerCounters";
  static constexpr auto rows =
      std::make_tuple(row("correctable", &AerCounters::correctable), row("non_fatal", &AerCounters::non_fatal),
                      row("fatal", &AerCounters::fatal));
};
static_assert(covers<AerCounters>());

template <>
struct Table<KfdReading> {
  static constexpr const char* name = "kfd";
  static constexpr auto rows = std::make_tuple(
      row("gfx_target_version", &KfdReading::gfx_target_version), row("mec_firmware", &KfdReading::mec_firmware),
      row("sdma_firmware", &KfdReading::sdma_firmware), row("hive", &KfdReading::hive),
      row("large_bar", &KfdReading::large_bar), row("partitions", &KfdReading::partitions));
};
static_assert(covers<KfdReading>());

template <>
struct Table<NvidiaReading> {
  static constexpr const char* name = "nvidia";
  static constexpr auto rows = std::make_tuple(row("minor", &NvidiaReading::minor), row("mig", &NvidiaReading::mig));
};
static_assert(covers<NvidiaReading>());

template <>
struct Table<PciDevice> {
  static constexpr const char* name = "device";
  static constexpr auto rows = std::make_tuple(
      row("address", &PciDevice::address), left_out(&PciDevice::places),
      row("vendor_id", &PciDevice::vendor_id, Form::hex4), row("device_id", &PciDevice::device_id, Form::hex4),
      row("subsystem_vendor_id", &PciDevice::subsystem_vendor_id, Form::hex4),
      row("subsystem_device_id", &PciDevice::subsystem_device_id, Form::hex4),
      row("class_code", &PciDevice::class_code, Form::hex4), row("name", &PciDevice::name, Form::title),
      row("subsystem_name", &PciDevice::subsystem_name, Form::title), row("revision", &PciDevice::revision, Form::hex2),
      row("header_type", &PciDevice::header_type), row("buses", &PciDevice::buses),
      row("stated_parent", &PciDevice::stated_parent), row("parent_skips_levels", &PciDevice::parent_skips_levels),
      row("stated_root_bus", &PciDevice::stated_root_bus, Form::hex2), row("lost", &PciDevice::lost),
      row("access_denied", &PciDevice::access_denied), row("express", &PciDevice::express), row("acs", &PciDevice::acs),
      row("aer", &PciDevice::aer), row("aer_counters", &PciDevice::aer_counters), row("sriov", &PciDevice::sriov),
      row("ari_next_function", &PciDevice::ari_next_function), row("bars", &PciDevice::bars),
      row("resizable_bars", &PciDevice::resizable_bars), row("driver", &PciDevice::driver, Form::driver),
      row("modules", &PciDevice::modules, Form::driver), row("numa_node", &PciDevice::numa_node),
      row("package", &PciDevice::package), row("iommu_group", &PciDevice::iommu_group),
      row("physical_slot", &PciDevice::physical_slot, Form::label),
      row("slot_label", &PciDevice::slot_label, Form::label),
      row("power_state", &PciDevice::power_state, Form::power_state),
      row("physical_function", &PciDevice::physical_function), row("acpi_path", &PciDevice::acpi_path, Form::acpi_path),
      row("runtime_status", &PciDevice::runtime_status, Form::runtime_status),
      row("render_minor", &PciDevice::render_minor), row("vram_bytes", &PciDevice::vram_bytes),
      row("kfd", &PciDevice::kfd), row("nvidia", &PciDevice::nvidia), row("driver_atomics", &PciDevice::driver_atomics),
      row("stated_link_gbytes_per_s", &PciDevice::stated_link_gbytes_per_s));
};
static_assert(covers<PciDevice>());

}  // namespace gpucoop::recording_file
