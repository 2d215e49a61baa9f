#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rank/step_run.hpp"
#include "rank/truth.hpp"

namespace gpucoop::rank {

/// One place in a round of `ccl.switching`. Every rank has the same places; in some it may have nothing to do.
struct SwitchOp {
  bool idle = true;
  unsigned group = 0;  ///< index in Step::groups
  Collective collective = Collective::all_reduce;
  std::uint64_t count = 0;            ///< elements; of each rank's block where it has blocks
  std::vector<std::uint64_t> counts;  ///< where blocks differ
};

/// What `rank` does in a round whose operands are of `elements` elements.
/// `alternate`: an all-reduce in each kind of group in turn (kinds are names without their number).
/// `moe-dp`, `moe-ep`: one layer of a mixture of experts with tensor-parallel attention, experts over the data-parallel
/// groups or over all (facts: intel 5.3 A and B); replicas hold different numbers of tokens.
/// None: there is no such sequence.
[[nodiscard]] std::optional<std::vector<SwitchOp>> switch_program(const wire::Step& step, unsigned rank,
                                                                  std::uint64_t elements);

/// The job of one place.
[[nodiscard]] Job switch_job(const wire::Step& step, const SwitchOp& op, unsigned rank, std::uint32_t place,
                             std::uint32_t round, collective::DataType type);

}  // namespace gpucoop::rank
