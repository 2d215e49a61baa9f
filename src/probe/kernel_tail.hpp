#pragma once

#include <vector>

#include "base/descriptor.hpp"
#include "model/recording.hpp"
#include "rules/rules.hpp"

namespace gpucoop::probe {

/// The kernel log from a moment on. Never waits. Where the log may not be read there are no lines, and `readable` says
/// so.
class KernelTail {
 public:
  /// From now on.
  KernelTail();
  [[nodiscard]] bool readable() const { return static_cast<bool>(log_); }
  /// The lines since the last call that the kernel itself wrote and the catalogue knows.
  [[nodiscard]] std::vector<LogLine> take(const Rules& rules);

 private:
  Descriptor log_;
};

}  // namespace gpucoop::probe
