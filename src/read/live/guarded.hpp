#pragma once

#include <memory>

#include "model/recording.hpp"
#include "read/live/reader_child.hpp"
#include "read/live/roots.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What a wedged GPU driver can block is read in a reader child, where there is a GPU: KFD's topology, driver
/// attributes and who holds the GPUs. The child starts with this object, so that other things can be read meanwhile.
class GuardedReading {
 public:
  /// The recording's devices must have been read before. `roots` must outlive the object.
  GuardedReading(const Roots& roots, const Recording& recording, const ChildLimits& limits = {});

  /// Waits for the child and adds what it read. What was not read within the deadline is unknown (`timeout`), and a
  /// warning names what could not be read. Once only.
  void add_to(Recording& recording, const Rules& rules);

 private:
  std::unique_ptr<ReaderChild> child_;  ///< null where there is no GPU
};

}  // namespace gpucoop
