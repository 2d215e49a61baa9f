#pragma once

#include <memory>
#include <string>

#include "base/descriptor.hpp"

namespace gpucoop::probe {

/// A control group (version 2) for the ranks of a team, below the one that this process is in. Whatever ranks start is
/// in it and can be killed at once. Everything is opened when it is made, so that it works without rights and after
/// /sys is gone.
class Cgroup {
 public:
  /// Null where none can be made: version 1, no rights, a read-only /sys. Nothing is wrong then.
  [[nodiscard]] static std::unique_ptr<Cgroup> make();
  Cgroup(Descriptor parent, std::string name, Descriptor members, Descriptor killer)
      : parent_(std::move(parent)), name_(std::move(name)), members_(std::move(members)), killer_(std::move(killer)) {}

  /// Puts the calling process into it.
  void enter() const;
  /// Kills every process in it (Linux 5.14). False where the kernel cannot.
  [[nodiscard]] bool kill_all() const;
  /// Removes it. False while there are processes in it.
  [[nodiscard]] bool remove() const;
  /// The descriptors that a process needs which does any of these.
  [[nodiscard]] int parent_fd() const { return parent_.get(); }
  [[nodiscard]] int members_fd() const { return members_.get(); }
  [[nodiscard]] int killer_fd() const { return killer_.get(); }

 private:
  Descriptor parent_;
  std::string name_;
  Descriptor members_;
  Descriptor killer_;
};

}  // namespace gpucoop::probe
