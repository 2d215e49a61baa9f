#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/probe.hpp"

namespace gpucoop::wire {

/// A communicator: ranks of the team in their order in it.
struct Group {
  std::string name;  ///< `set`, `tp0`, `dp1`, `ep0`
  std::vector<unsigned> ranks;

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.name, self.ranks);
  }
};

/// How ranks keep in step between operations of different communicators.
enum class Sync : std::uint8_t { none, stream, rendezvous };

/// One step of the ladder, that some ranks of a team do together: the same for all of them.
struct Step {
  std::uint32_t id = 0;  ///< counts up within a run
  std::string rung;      ///< `gpu.dispatch`, `p2p.write`, `ccl.allreduce`, …: the fact that it establishes
  std::string op;        ///< `all_reduce`; which way for rungs that have several (`copy-engine`, `kernel`)
  /// Who takes part; all of them answer. Pair rungs: from, to; the first opens both devices itself, and the other one
  /// answers `passed` with nothing checked. `p2p.ipc` is done by both: the first reaches memory that the second has.
  std::vector<unsigned> ranks;
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

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.id, self.rung, self.op, self.ranks, self.sizes, self.dtype, self.reduce, self.groups, self.sequence,
            self.sync, self.rounds, self.warmups, self.repetitions, self.seed, self.limit_ms);
  }
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

  template <class A, class T>
  static void fields(A& archive, T& self) {
    archive(self.id, self.rank, self.state, self.reason, self.checked_words, self.wrong_words, self.wrong_how,
            self.bytes, self.seconds, self.latency_us, self.gbytes_per_s, self.bus_gbytes_per_s, self.transport,
            self.library_name, self.library_version, self.answers);
  }
};

/// Longer texts of a result are cut when it is sent.
constexpr std::size_t kMostText = 4096;
/// Further answers of a result, and further entries of a step's lists, are not sent.
constexpr std::size_t kMostEntries = 1024;

/// Bytes of one frame (wire/frame.hpp) and back. Only what `encode` of this version writes is taken: anything else is
/// `bad_input`.
[[nodiscard]] std::string encode(const Step& step);
[[nodiscard]] std::string encode(const StepResult& result);
[[nodiscard]] Result<Step> decode_step(std::string_view bytes);
[[nodiscard]] Result<StepResult> decode_result(std::string_view bytes);

}  // namespace gpucoop::wire
