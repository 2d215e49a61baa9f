#pragma once

#include <array>

#include "model/report.hpp"
#include "read/recording/enum_words.hpp"

// The words that a report has beside those of a recording.
namespace gpucoop::recording_file {

template <>
struct Values<ModeState> {
  static constexpr std::array all = {ModeState::yes, ModeState::degraded, ModeState::no, ModeState::unknown};
};
template <>
struct Values<Tri> {
  static constexpr std::array all = {Tri::no, Tri::unknown, Tri::yes};
};
template <>
struct Values<Role> {
  static constexpr std::array all = {Role::root_port, Role::switch_upstream,     Role::switch_downstream,
                                     Role::endpoint,  Role::integrated_endpoint, Role::bridge,
                                     Role::unknown};
};
template <>
struct Values<LinkState> {
  static constexpr std::array all = {LinkState::full, LinkState::idle, LinkState::downgraded, LinkState::unknown};
};
template <>
struct Values<PairPath> {
  static constexpr std::array all = {PairPath::same_card, PairPath::switch_, PairPath::switches, PairPath::host_bridge,
                                     PairPath::numa_node, PairPath::socket,  PairPath::unknown};
};
template <>
struct Values<PeerExpectation> {
  static constexpr std::array all = {PeerExpectation::likely, PeerExpectation::slower, PeerExpectation::not_expected,
                                     PeerExpectation::unknown};
};
template <>
struct Values<SourceKind> {
  static constexpr std::array all = {SourceKind::live,       SourceKind::lspci_text, SourceKind::lspci_hex,
                                     SourceKind::lspci_tree, SourceKind::recording,  SourceKind::hwloc_xml,
                                     SourceKind::nccl_xml,   SourceKind::kernel_log};
};

}  // namespace gpucoop::recording_file
