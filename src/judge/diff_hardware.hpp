#pragma once

#include <vector>

#include "judge/diff_match.hpp"
#include "model/diff.hpp"

namespace gpucoop {

/// Cards that were added, removed, moved or changed.
[[nodiscard]] std::vector<GpuChange> diff_gpus(const GpuMatch& match);
/// What lies between two GPUs that both readings have.
[[nodiscard]] std::vector<PairChange> diff_pairs(const Topology& before, const Topology& after, const GpuMatch& match);
/// Board, kernel, IOMMU, virtual machine.
[[nodiscard]] std::vector<ValueChange> diff_host(const HostSummary& before, const HostSummary& after);

}  // namespace gpucoop
