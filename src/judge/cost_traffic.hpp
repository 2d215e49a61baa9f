#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/known.hpp"
#include "judge/cost_shape.hpp"

namespace gpucoop {

/// How the transfers of a mode use the links.
enum class TrafficPattern : std::uint8_t {
  ring,      ///< every GPU sends to one neighbour at a time
  everyone,  ///< every GPU exchanges with every other, or through host memory, at the same time
  turns,     ///< one transfer at a time
};

/// Operations of one kind.
struct Transfer {
  std::string what;
  double calls = 0;  ///< one after the other
  double bytes = 0;  ///< of each, of one GPU in one direction
  double own = 0;    ///< how many of the calls one GPU sends in
};

/// What a mode moves.
struct Traffic {
  TrafficPattern pattern = TrafficPattern::ring;
  std::vector<Transfer> step;     ///< of one decode step
  std::vector<Transfer> prefill;  ///< of the prompt
  bool prefill_known = true;      ///< false where the size of the cache is not known
};

/// The modes that the estimate covers, in the order in which they are told.
[[nodiscard]] const std::vector<std::string_view>& cost_modes();
/// Whether the mode is for models with experts only.
[[nodiscard]] bool needs_experts(std::string_view mode);
/// Whether the mode cuts every layer, so that the attention heads must be spread over the GPUs.
[[nodiscard]] bool cuts_layers(std::string_view mode);

/// Calls and bytes of `mode` over `gpus` GPUs (at least 2), for 16-bit activations.
[[nodiscard]] Traffic traffic_of(std::string_view mode, const Workload& work, unsigned gpus);

/// Bytes of the cache that `tokens` of one sequence take, 16 bits a value; unknown where the shape does not say.
[[nodiscard]] Known<double> cache_bytes(const ModelRule& model, double tokens);

}  // namespace gpucoop
