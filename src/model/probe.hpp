#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/fact.hpp"

namespace gpucoop {

/// How one run of a probe ended. Only `passed` speaks for anything: a skip is never a pass.
enum class ProbeState : std::uint8_t {
  passed,
  failed,
  wrong_data,
  refused,
  crashed,
  hung,
  skipped,
  invalid,       ///< a rate above what the path can carry
  inconclusive,  ///< its control failed as well
};
/// The word of the report contract: `passed`, `wrong-data`, …
[[nodiscard]] std::string_view to_string(ProbeState state);

/// One operation that was tried on some GPUs.
struct ProbeRun {
  std::string rung;               ///< `p2p.write`, `collective`, …
  std::string op;                 ///< `all_reduce`
  std::vector<std::string> gpus;  ///< addresses, or `host:0` where no GPU took part
  unsigned ranks = 0;
  std::string backend;  ///< `cuda`, `hip`, `level-zero`, `host`
  std::string variant;  ///< what was changed from the default; empty: nothing
  ProbeState state = ProbeState::skipped;
  std::string reason;
  Known<std::uint64_t> bytes;
  std::string dtype;
  Known<std::uint64_t> wrong_words;
  Known<double> seconds;
  Known<double> deadline_s;
  Known<double> latency_us;
  Known<double> gbytes_per_s;
  Known<double> bus_gbytes_per_s;
  std::string transport;
  std::string library_name;
  std::string library_version;
  bool simulated = false;
  std::vector<std::string> findings;
  std::vector<std::string> facts;  ///< references of the facts that it established
};

/// What probes found on a host: facts of tier queried or probed, and the runs that they come from. Empty where
/// nothing was probed.
struct Measurements {
  std::string fingerprint;  ///< of the host that was probed
  std::string taken_at;     ///< RFC 3339, UTC
  bool simulated = false;   ///< then its facts are about no GPU
  std::vector<ProbeRun> runs;
  std::vector<Fact> facts;

  [[nodiscard]] bool empty() const { return runs.empty() && facts.empty(); }
};

}  // namespace gpucoop
