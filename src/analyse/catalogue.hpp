#pragma once

#include <vector>

#include "model/recording.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What the rules say about PCI devices. Ids decide where the input has them, also those in a name such as
/// `Intel Corporation Device e2ff`; only without ids does a part of the name count (a plain list).
class Catalogue {
 public:
  explicit Catalogue(const Rules& rules);

  /// The first rule of `kind` that matches, or null. Valid as long as the rules.
  [[nodiscard]] const DeviceRule* find(DeviceKind kind, const PciDevice& device) const;
  [[nodiscard]] bool is(DeviceKind kind, const PciDevice& device) const { return find(kind, device) != nullptr; }

 private:
  std::vector<std::vector<const DeviceRule*>> by_kind_;
};

}  // namespace gpucoop
