#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/recording.hpp"
#include "read/xml/document.hpp"

namespace gpucoop {

/// How a matrix names its objects: `OSDev`, `PCIDev` and a logical or physical index.
struct HwlocObject {
  std::string type;
  std::string index;
  bool os_index = false;  ///< the index is the system's (`indexing="os"`), else hwloc's own `gp_index`
};
/// The PCI function that an object is or belongs to; nullopt for packages and anything unknown.
using HwlocLookup = std::function<std::optional<Address>(const HwlocObject&)>;

/// Reads the bandwidth matrices of GPU fabrics into `recording.fabric` (`recording.devices` must be complete and
/// sorted). Two GPUs that a matrix joins only over switches (NVSwitch) are joined by the smaller of what each has to
/// the switches they share. Matrices over processors, latencies and unknown names are left out.
void read_hwloc_fabric(const XmlDocument& document, const HwlocLookup& lookup, Recording& recording);

}  // namespace gpucoop
