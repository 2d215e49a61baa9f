#pragma once

#include <array>
#include <csignal>

namespace gpucoop::probe {

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end this process: they are remembered, waiting calls return, and a
/// Team that runs a step ends it. A signal that was ignored before stays ignored. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came first; 0: none.
  [[nodiscard]] static int caught();

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace gpucoop::probe
