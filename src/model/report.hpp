#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cost.hpp"
#include "model/probe.hpp"
#include "model/topology.hpp"

namespace gpucoop {

enum class ModeState : std::uint8_t { yes, degraded, no, unknown };
[[nodiscard]] std::string_view to_string(ModeState state);

/// The state, or what is expected of an unknown; unknown where nothing is.
[[nodiscard]] ModeState likely(ModeState state, const Known<ModeState>& expected);

/// GPUs that are judged together.
struct GpuSet {
  std::vector<Address> gpus;
  std::string why;
};

/// The largest part of a set for which a mode stands better than for the whole.
struct BestSubset {
  std::vector<Address> gpus;
  ModeState state = ModeState::unknown;
  Known<ModeState> expected;
  std::string why;  ///< why the others cannot take part
};

/// What is judged of one set. `expected` is meaningful where the state is unknown: known to be yes, degraded or no, or
/// unknown itself (null in JSON).
struct Answer {
  std::vector<Address> set;
  ModeState state = ModeState::unknown;
  Known<ModeState> expected;
  std::string why;
  std::vector<std::string> decided_by;  ///< references of facts, the decisive one first
  Known<std::string> settled_by;        ///< a command that would settle an unknown; absent where none is known
  std::vector<std::string> remedies;    ///< ids
};

/// The judgement of one parallelism mode.
struct ModeVerdict : Answer {
  std::string id;
  std::string title;
  std::optional<BestSubset> best;  ///< where the whole set cannot, or is not expected to
};

/// A flag or variable of an engine: to set, or to keep away from.
struct Advice {
  enum class Kind : std::uint8_t { set, avoid };
  Kind kind = Kind::set;
  std::string text;       ///< `NCCL_PROTO=Simple`
  std::string why;        ///< what makes it advisable here
  std::string otherwise;  ///< what one would see without it, as the engine or library says it; may be empty
};
[[nodiscard]] std::string_view to_string(Advice::Kind kind);

/// The judgement of one way in which an engine puts a mode to work.
struct EngineVerdict : Answer {
  std::string id;      ///< `vllm.tensor`
  std::string engine;  ///< `vllm`
  std::string mode;    ///< the mode that it is one way of
  std::string title;
  std::vector<std::string> flags;  ///< what turns it on: `--tensor-parallel-size 2`
  std::vector<Advice> advice;
};

/// What would change an answer. Placeholders of the rule's text are filled in.
struct Remedy {
  std::string id;
  std::string text;
  std::vector<std::string> changes;  ///< fact ids
  std::string cost;
  std::string risk;
};

struct Judgement {
  std::vector<GpuSet> sets;
  std::vector<ModeVerdict> modes;
  std::vector<EngineVerdict> engines;
  std::vector<Remedy> remedies;
  std::vector<CostEstimate> costs;  ///< only where a model was named
  /// Facts beside the topology's: the size of each set, and the unknown ones that some `decided_by` names because
  /// nobody has established them. Rendered with the others.
  std::vector<Fact> facts;
  std::vector<Warning> warnings;
};

/// Everything that is rendered. JSON contract: `gpucoop.report/1`.
struct Report {
  std::string taken_at;  ///< RFC 3339, UTC
  bool simulated = false;
  Topology topology;
  Judgement judgement;
  std::vector<ProbeRun> probes;  ///< what was run, or was given as results of an earlier run
  std::string measured_at;       ///< when that was: RFC 3339, UTC; empty where nothing was measured
};

}  // namespace gpucoop
