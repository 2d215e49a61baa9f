#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.hpp"
#include "base/known.hpp"

namespace gpucoop {

/// Where a number of the cost estimate comes from.
enum class CostBasis : std::uint8_t {
  measured,  ///< by a probe on this host
  ceiling,   ///< what the path can carry at best
  typical,   ///< published for this kind of software and link
};
[[nodiscard]] std::string_view to_string(CostBasis basis);

/// Operations of one kind in a decode step.
struct CostPart {
  std::string what;           ///< `all-reduce`
  double calls = 0;           ///< one after the other
  double bytes_per_call = 0;  ///< of one GPU in one direction
  Known<double> ms;           ///< all of them together
};

/// What one way of sharing a model costs in communication. Bytes are those of one GPU in one direction. Times are
/// estimates unless both terms were measured; unknown where a term is.
struct CostEstimate {
  std::string model;         ///< id of the preset with what was changed of it, or `custom`
  std::string mode;          ///< mode id
  std::vector<Address> set;  ///< the GPUs
  unsigned batch = 1;        ///< sequences that are decoded together
  unsigned prompt = 0;       ///< tokens of the prompt
  std::vector<CostPart> parts;
  double calls_per_step = 0;
  double bytes_per_step = 0;
  Known<double> prefill_calls;  ///< with `prefill_bytes`: unknown where the size of the cache is
  Known<double> prefill_bytes;
  Known<double> alpha_us;  ///< time of a small operation
  CostBasis alpha_basis = CostBasis::typical;
  std::string alpha_from;           ///< what it was taken from, for a person
  std::string alpha_source;         ///< who published it; empty where it was measured or is not known
  Known<double> beta_gbytes_per_s;  ///< rate of a large operation
  CostBasis beta_basis = CostBasis::ceiling;
  std::string beta_from;             ///< what it was taken from, for a person
  Known<double> decode_ms;           ///< communication of one decode step
  Known<double> prefill_ms;          ///< communication of the prompt
  Known<double> one_gpu_ms;          ///< a decode step on one GPU: its weights read once; absent where they do not fit
  Known<double> step_ms;             ///< a decode step in this mode, communication included
  Known<double> share;               ///< communication's part of it, 0 to 1
  Known<bool> fits_one_gpu;          ///< weights, cache and buffers fit into the memory of the largest GPU
  Known<bool> fits_set;              ///< its share of them fits into each GPU of the set
  Known<bool> splits_evenly;         ///< the attention heads can be spread over the set; absent where nothing is split
  Tri beats_one_gpu = Tri::unknown;  ///< a decode step is expected to be shorter than on one GPU
  std::string why;                   ///< in words, for a person

  /// Both terms were measured on this host.
  [[nodiscard]] bool measured() const {
    return alpha_basis == CostBasis::measured && beta_basis == CostBasis::measured;
  }
};

}  // namespace gpucoop
