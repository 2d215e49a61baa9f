#pragma once

#include <optional>
#include <vector>

#include "analyse/fact_list.hpp"
#include "analyse/firmware_slot.hpp"

namespace gpucoop {

/// What the host lets programs do, apart from its PCI devices: how the kernel was built, /dev/shm, memory that may be
/// locked, the container, whether the kernel log is whole.
void add_surrounding_facts(const HostReading& host, FactList& facts);

/// Of one GPU: its slot's name, whether the reader may open its device nodes, and the errors that the kernel has
/// counted on the way to it.
void add_surrounding_facts(const GpuView& view, const std::optional<FirmwareSlotMatch>& slot, const HostReading& host,
                           FactList& facts);

/// What a person should know of it: nodes that may not be opened, errors on a link.
[[nodiscard]] std::vector<Warning> surrounding_findings(const std::vector<GpuView>& views, const HostReading& host);

}  // namespace gpucoop
