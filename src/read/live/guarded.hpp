#pragma once

#include "model/recording.hpp"
#include "read/live/reader_child.hpp"
#include "read/live/roots.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What only hosts with GPUs have is read in a reader child: what a wedged driver can block (KFD's topology, driver
/// attributes, who holds the GPUs), and what takes long (how the kernel was built). The child starts with this object
/// and finds the GPUs by itself, so that the devices' registers can be read meanwhile.
class GuardedReading {
 public:
  /// `roots` must outlive the object.
  explicit GuardedReading(const Roots& roots, const ChildLimits& limits = {});

  /// Waits for the child and adds what it read, where the recording has a GPU; its devices must be there. What was not
  /// read within the deadline is unknown (`timeout`), and a warning names what could not be read. Once only.
  void add_to(Recording& recording, const Rules& rules);

 private:
  ReaderChild child_;
};

}  // namespace gpucoop
