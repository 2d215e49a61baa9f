#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/topology.hpp"

namespace gpucoop {

enum class ModeState : std::uint8_t { yes, degraded, no, unknown };
[[nodiscard]] std::string_view to_string(ModeState state);

/// GPUs that are judged together.
struct GpuSet {
  std::vector<Address> gpus;
  std::string why;
};

/// The judgement of one parallelism mode over one set. `expected` is meaningful where the state is unknown:
/// known to be yes, degraded or no, or unknown itself (null in JSON).
struct ModeVerdict {
  std::string id;
  std::string title;
  std::vector<Address> set;
  ModeState state = ModeState::unknown;
  Known<ModeState> expected;
  std::string why;
  std::vector<std::string> decided_by;  ///< references of facts, the decisive one first
  Known<std::string> settled_by;        ///< a command that would settle an unknown; absent where none is known
  std::vector<std::string> remedies;    ///< ids
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
  std::vector<Remedy> remedies;
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
};

}  // namespace gpucoop
