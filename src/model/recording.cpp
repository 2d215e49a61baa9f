#include "model/recording.hpp"

#include <algorithm>
#include <utility>

namespace gpucoop {

std::string_view to_string(SourceKind kind) {
  switch (kind) {
    case SourceKind::live: return "live";
    case SourceKind::lspci_text: return "lspci-text";
    case SourceKind::lspci_hex: return "lspci-hex";
    case SourceKind::lspci_tree: return "lspci-tree";
    case SourceKind::recording: return "recording";
    case SourceKind::hwloc_xml: return "hwloc-xml";
    case SourceKind::nccl_xml: return "nccl-xml";
    case SourceKind::kernel_log: return "kernel-log";
  }
  return "lspci-text";
}

std::string_view to_string(FabricLink::Kind kind) {
  switch (kind) {
    case FabricLink::Kind::nvlink: return "nvlink";
    case FabricLink::Kind::xgmi: return "xgmi";
    case FabricLink::Kind::xelink: return "xelink";
  }
  return "nvlink";
}

std::string_view to_string(DriverLink::Kind kind) {
  switch (kind) {
    case DriverLink::Kind::pcie: return "pcie";
    case DriverLink::Kind::xgmi: return "xgmi";
    case DriverLink::Kind::other: return "other";
  }
  return "other";
}

std::string_view to_string(HolderClass c) {
  switch (c) {
    case HolderClass::compute: return "compute";
    case HolderClass::display: return "display";
    case HolderClass::monitor: return "monitor";
  }
  return "compute";
}

const PciDevice* find_device(const Recording& recording, const Address& a) {
  const auto it = std::lower_bound(recording.devices.begin(), recording.devices.end(), a,
                                   [](const PciDevice& d, const Address& x) { return d.address < x; });
  return it != recording.devices.end() && it->address == a ? &*it : nullptr;
}

PciDevice* find_device(Recording& recording, const Address& a) {
  return const_cast<PciDevice*>(find_device(std::as_const(recording), a));  // NOLINT: the recording is not const
}

std::string to_string(const Recording& recording, const Place& place) {
  if (place.source >= recording.sources.size()) return {};
  const auto& [file, kind] = recording.sources[place.source];
  const bool host = kind == SourceKind::live || kind == SourceKind::recording;
  const bool own_log = kind == SourceKind::kernel_log && place.line == 0;
  if (host || own_log) return {};
  return place.line == 0 ? file : file + ":" + std::to_string(place.line);
}

}  // namespace gpucoop
