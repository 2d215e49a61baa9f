#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/probe.hpp"

namespace gpucoop::wire {

/// A communicator: ranks of the team in their order in it.
struct Group {
  std::string name;  ///< `set`, `tp0`, `dp1`, `ep0`
  std::vector<unsigned> ranks;
};

/// How ranks keep in step between operations of different communicators.
enum class Sync : std::uint8_t { none, stream, rendezvous };

/// One step of the ladder, that some ranks of a team do together: the same for all of them.
struct Step {
  std::uint32_t id = 0;         ///< counts up within a run
  std::string rung;             ///< `gpu.dispatch`, `p2p.write`, `ccl.allreduce`, …: the fact that it establishes
  std::string op;               ///< `all_reduce`; which way for rungs that have several (`copy-engine`, `kernel`)
  std::vector<unsigned> ranks;  ///< who takes part. Pair rungs: from, to; the first opens both devices itself
  std::vector<std::uint64_t> sizes;  ///< bytes, tried in this order (nccl-tests' definition of size)
  std::string dtype;                 ///< `float32`; empty: does not matter
  std::string reduce;                ///< `sum`; empty: none
  std::vector<Group> groups;         ///< `ccl.subgroups`, `ccl.switching`, `ccl.concurrent`
  std::string sequence;              ///< `ccl.switching`: `alternate`, `moe-dp` (5.3 A), `moe-ep` (5.3 B)
  Sync sync = Sync::none;
  std::uint32_t rounds = 1;
  std::uint32_t warmups = 0;
  std::uint32_t repetitions = 1;  ///< of timed ones
  std::uint64_t seed = 0;
  std::uint32_t limit_ms = 0;  ///< the rank's own limit, shorter than the deadline of the supervisor
};

/// What one rank says about a step.
struct StepResult {
  std::uint32_t id = 0;
  unsigned rank = 0;
  ProbeState state = ProbeState::skipped;
  std::string reason;  ///< the vendor's words where it is not `passed`
  std::uint64_t checked_words = 0;
  std::uint64_t wrong_words = 0;
  std::string wrong_how;    ///< `lost 12, stale 3; first at byte 4096: 0x… instead of 0x…`
  std::uint64_t bytes = 0;  ///< the largest that passed, or the one that failed
  double seconds = 0;
  Known<double> latency_us;
  Known<double> gbytes_per_s;
  Known<double> bus_gbytes_per_s;
  std::string transport;
  std::string library_name;
  std::string library_version;
  std::vector<std::pair<std::string, std::string>> answers;  ///< queried facts: `p2p.access` → `true`
};

/// Bytes of one frame and back. `bad_input` for what is no such thing; every count is bounded.
[[nodiscard]] std::string encode(const Step& step);
[[nodiscard]] std::string encode(const StepResult& result);
[[nodiscard]] Result<Step> decode_step(std::string_view bytes);
[[nodiscard]] Result<StepResult> decode_result(std::string_view bytes);

}  // namespace gpucoop::wire
