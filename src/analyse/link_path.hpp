#pragma once

#include <vector>

#include "analyse/chain.hpp"
#include "analyse/link.hpp"

namespace gpucoop {

/// A link on the way of one GPU.
struct PathLink {
  JudgedLink judged;
  std::size_t lower_step = 0;        ///< the step below the link
  const PciDevice* lower = nullptr;  ///< the function that the lower end was read from; null into a gap
  bool two_ends = false;             ///< both functions are in the input and next to each other
  bool into_gap = false;             ///< only the port above is in the input; what is next to it below is not
  bool maybe_on_card = false;        ///< a lone GPU function whose link may be one inside the card
};

/// The links of a GPU's chain from the root downwards, each once. Empty for an integrated GPU. All functions below one
/// port share its link: it is named by, and read from, the first function there, never from a virtual function (whose
/// link registers are reserved).
[[nodiscard]] std::vector<PathLink> links_of(const DeviceTree& tree, const Chain& chain, const Gpu& gpu);

/// What lies between the GPU and the root: the slowest of its links that are outside the card, by rate (not by speed
/// and width apart), the uppermost of equals. Links that are not in the input are not counted; `why` says so.
[[nodiscard]] LinkJudgement judge_path(const Chain& chain, const std::vector<PathLink>& links, bool integrated);

}  // namespace gpucoop
