#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "model/recording.hpp"

namespace gpucoop {

/// Reads an hwloc topology (XML versions 1 to 3): bridges and PCI devices with their parents, NUMA node and package,
/// link rates (`stated_link_gbytes_per_s`; 0 in the file is unknown), slots, and the NVLink, XGMI and Xe Link
/// bandwidth matrices. A file without I/O objects lists no devices. `name` is for messages and `sources`.
/// Fails with `bad_input` naming file and line where the XML is not well-formed or no hwloc topology.
[[nodiscard]] Result<Recording> read_hwloc_xml(const std::string& name, std::string_view bytes);

/// Reads a topology that NCCL or RCCL dumped (NCCL_TOPO_DUMP_FILE): PCI elements with their parents (levels are
/// left out there), link speed and width above each element, NUMA node, NVLink and XGMI links.
/// Fails as `read_hwloc_xml` does.
[[nodiscard]] Result<Recording> read_nccl_xml(const std::string& name, std::string_view bytes);

}  // namespace gpucoop
