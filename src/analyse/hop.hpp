#pragma once

#include <vector>

#include "analyse/chain.hpp"
#include "model/topology.hpp"

namespace gpucoop {

/// The role of a step: by its port type; without one a bridge is `bridge`, a GPU `endpoint` or, where `integrated`,
/// `integrated-endpoint`.
[[nodiscard]] Role role_of(const Step& step, bool last, bool integrated);
/// The hops of a chain as they are reported. `blocks_atomics` is left to the atomics judgement.
[[nodiscard]] std::vector<Hop> hops_of(const Chain& chain, bool integrated);

}  // namespace gpucoop
