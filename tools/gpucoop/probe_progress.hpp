#pragma once

#include <chrono>
#include <string>

#include "model/probe.hpp"
#include "probe/run.hpp"

namespace gpucoop {

/// What is being tried, on standard error: one line that is written anew on a terminal, a line for each rung and each
/// failure elsewhere.
class ProbeProgress {
 public:
  explicit ProbeProgress(bool quiet);
  ProbeProgress(const ProbeProgress&) = delete;
  ProbeProgress& operator=(const ProbeProgress&) = delete;
  ~ProbeProgress() { clear(); }

  void show(const probe::Now& now);
  void tell(const ProbeRun& run);
  /// Takes the line away.
  void clear();

 private:
  void write(const std::string& text);

  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::string rung_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace gpucoop
