#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "wire/step.hpp"

namespace gpucoop::probe {

/// Whose order of ranks: vLLM puts data-parallel replicas outside of everything and tensor groups inside; SGLang cuts
/// the groups of experts out of the tensor group.
enum class RankOrder : std::uint8_t { vllm, sglang };

/// How GPUs are divided into groups: `tp=2,dp=2`.
struct Layout {
  unsigned tp = 1;
  unsigned pp = 1;
  unsigned dp = 1;
  unsigned ep = 0;  ///< 0: as the engine makes it (vLLM: all of a stage; SGLang: none)
  RankOrder order = RankOrder::vllm;

  /// How many GPUs it takes.
  [[nodiscard]] unsigned ranks() const;
};

/// Groups of one kind: disjoint, and together all ranks.
struct Division {
  std::string name;  ///< `tp`, `pp`, `dp`, `ep`; of SGLang also `attn_tp` and `moe_tp`
  std::vector<wire::Group> groups;
};

/// Reads `tp=2,dp=2,pp=1,ep=4`, with `order=sglang` for SGLang's. `usage` for anything else, for zeros, for more than
/// 64 GPUs, and for an `ep` that cannot be: with vLLM it is tp × dp, with SGLang it divides tp.
[[nodiscard]] Result<Layout> parse_layout(const std::string& text);

/// The layout as `parse_layout` reads it.
[[nodiscard]] std::string to_string(const Layout& layout);

/// The groups of every kind that has more than one member, in the order in which engines make them: tp, pp, dp, ep.
/// Facts: engines.md 1.1 (vLLM), 2 (SGLang).
[[nodiscard]] std::vector<Division> divide(const Layout& layout);

/// Two groups cross: they share some ranks, and each has others. Where no two do, one communicator at a time is all
/// that engines use.
[[nodiscard]] bool crosses(const std::vector<Division>& divisions);

/// What is tried where nobody says how the GPUs will be divided: two data-parallel replicas of tensor groups for an
/// even number from 4 on; `tp` alone otherwise.
[[nodiscard]] Layout usual_layout(unsigned ranks);

}  // namespace gpucoop::probe
