#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "model/recording.hpp"

namespace gpucoop::recording_file {

/// Every value of an enumeration of the model, in the order of its declaration.
template <class E>
struct Values;

template <>
struct Values<Reason> {
  static constexpr std::array all = {Reason::not_in_input,
                                     Reason::no_root,
                                     Reason::not_printed,
                                     Reason::truncated,
                                     Reason::damaged,
                                     Reason::device_lost,
                                     Reason::vm,
                                     Reason::asleep,
                                     Reason::timeout,
                                     Reason::hidden_by_container,
                                     Reason::disagreement,
                                     Reason::not_probed,
                                     Reason::not_inspected,
                                     Reason::not_derivable};
};
template <>
struct Values<PortType> {
  static constexpr std::array all = {
      PortType::endpoint,           PortType::legacy_endpoint,     PortType::root_port,
      PortType::switch_upstream,    PortType::switch_downstream,   PortType::pcie_to_pci_bridge,
      PortType::pci_to_pcie_bridge, PortType::integrated_endpoint, PortType::event_collector};
};
template <>
struct Values<LinkSpeed> {
  static constexpr std::array all = {LinkSpeed::gen1, LinkSpeed::gen2, LinkSpeed::gen3, LinkSpeed::gen4,
                                     LinkSpeed::gen5, LinkSpeed::gen6, LinkSpeed::gen7};
};
template <>
struct Values<FabricLink::Kind> {
  static constexpr std::array all = {FabricLink::Kind::nvlink, FabricLink::Kind::xgmi, FabricLink::Kind::xelink};
};
template <>
struct Values<DriverLink::Kind> {
  static constexpr std::array all = {DriverLink::Kind::pcie, DriverLink::Kind::xgmi, DriverLink::Kind::other};
};

template <>
struct Values<Tier> {
  static constexpr std::array all = {Tier::static_, Tier::queried, Tier::probed};
};
template <>
struct Values<SubjectKind> {
  static constexpr std::array all = {SubjectKind::host, SubjectKind::gpu, SubjectKind::port,   SubjectKind::link,
                                     SubjectKind::pair, SubjectKind::set, SubjectKind::library};
};
template <>
struct Values<ProbeState> {
  static constexpr std::array all = {ProbeState::passed,  ProbeState::failed,  ProbeState::wrong_data,
                                     ProbeState::refused, ProbeState::crashed, ProbeState::hung,
                                     ProbeState::skipped, ProbeState::invalid, ProbeState::inconclusive};
};

template <>
struct Values<FoundBy> {
  static constexpr std::array all = {FoundBy::given,         FoundBy::preload,      FoundBy::environment,
                                     FoundBy::library_path,  FoundBy::loader_cache, FoundBy::system_python,
                                     FoundBy::system_folder, FoundBy::vendor_folder};
};
template <>
struct Values<LibraryKind> {
  static constexpr std::array all = {LibraryKind::rccl,     LibraryKind::nccl,      LibraryKind::oneccl,
                                     LibraryKind::ggml_hip, LibraryKind::ggml_cuda, LibraryKind::torch,
                                     LibraryKind::other};
};
template <>
struct Values<Packaging> {
  static constexpr std::array all = {Packaging::none, Packaging::fatbin, Packaging::compressed, Packaging::kpack};
};
template <>
struct Values<CodeForm> {
  static constexpr std::array all = {CodeForm::native, CodeForm::generic, CodeForm::ptx, CodeForm::spirv};
};
template <>
struct Values<TargetFeature> {
  static constexpr std::array all = {TargetFeature::any, TargetFeature::off, TargetFeature::on};
};
template <>
struct Values<Vendor> {
  static constexpr std::array all = {Vendor::amd, Vendor::nvidia, Vendor::intel, Vendor::other};
};

/// The value that `to_string` spells so.
template <class E>
[[nodiscard]] std::optional<E> from_word(std::string_view word) {
  for (const auto value : Values<E>::all) {
    if (to_string(value) == word) return value;
  }
  return std::nullopt;
}

}  // namespace gpucoop::recording_file
