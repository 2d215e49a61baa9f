#pragma once

#include <vector>

#include "analyse/gpu_view.hpp"

namespace gpucoop {

/// A pair and what its facts cite.
struct JudgedPair {
  Pair pair;
  std::string path_evidence;
  std::string redirect_evidence;
  std::vector<Address> redirect_at;
  std::string ceiling_evidence;
};

/// All pairs of GPUs that can compute, each once. More than 64 of them: pairs of the first 64, and a warning
/// `analysis.many-gpus`.
[[nodiscard]] std::vector<JudgedPair> judge_pairs(const HostView& host, const std::vector<GpuView>& gpus,
                                                  std::vector<Warning>& warnings);

}  // namespace gpucoop
