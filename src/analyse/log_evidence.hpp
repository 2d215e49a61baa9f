#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/fact.hpp"
#include "model/recording.hpp"
#include "model/topology.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What kernel-log lines say about devices: the lines whose cause sets a fact, joined to their device by the address in
/// the line, else by its `vendor:device` where exactly one device of the recording has these ids.
class LogEvidence {
 public:
  LogEvidence(const Recording& recording, const Rules& rules);

  /// Every cause that the lines name, once for each device, in the order of the lines.
  [[nodiscard]] const std::vector<LogFinding>& findings() const { return findings_; }

  /// What the lines say about fact `id` of a device; no line, or lines that contradict each other: unknown.
  [[nodiscard]] Tri said(const std::string& id, const Address& device) const;

  /// Writes the lines' word into GPU facts (`atomics.driver`, `gpu.present`, …) that are unknown; where it contradicts
  /// a known one that stays, and a warning `analysis.log-disagrees` is added.
  void apply(std::vector<Fact>& facts, std::vector<Warning>& warnings) const;

 private:
  struct Statement {
    bool value = false;
    bool contradicted = false;
    std::string evidence;
  };
  void find(const LogCause& cause, const LogLine& line, const std::optional<Address>& device, std::string place);

  std::map<std::pair<std::string, Address>, Statement> statements_;
  std::vector<LogFinding> findings_;
  std::map<std::pair<std::string, std::optional<Address>>, std::size_t> index_;  ///< of a cause and device in findings_
};

}  // namespace gpucoop
