#pragma once

#include <string>
#include <string_view>

#include "judge/cost_path.hpp"
#include "judge/cost_shape.hpp"

namespace gpucoop {

/// What the memories of a set's GPUs hold and how fast they are read.
struct SetMemory {
  Known<double> least_bytes;
  Known<double> most_bytes;
  Known<double> least_gbytes_per_s;
  Known<double> most_gbytes_per_s;
};

/// From what the driver says and the table of cards. A device id that several cards share is told apart by its memory.
[[nodiscard]] SetMemory memory_of(const CostSet& set);

/// Bytes of weights that a decode step reads on each of `parts` GPUs (1: on one): those that the tokens of the batch
/// use, of the experts as many as that many tokens are expected to choose. With `mode` `expert-dp` only experts are
/// spread.
[[nodiscard]] Known<double> weights_read(const Workload& work, std::string_view mode, unsigned parts);

/// Bytes that each of `parts` GPUs must hold: weights and a twentieth, cache, and 1.5 GiB for the runtime and buffers.
[[nodiscard]] Known<double> bytes_needed(const Workload& work, std::string_view mode, unsigned parts);

/// Whether that fits: no as soon as the weights alone do not.
[[nodiscard]] Known<bool> fits(const Workload& work, std::string_view mode, unsigned parts,
                               const Known<double>& memory);

}  // namespace gpucoop
