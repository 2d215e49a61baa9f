#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/pci.hpp"

namespace gpucoop {

/// Names devices by a list of the form of pci.ids (vendors at the start of a line, their devices below them behind a
/// tab), as lspci does: vendor and device; the first entry counts. Others keep no name. The list comes in pieces, since
/// it is long and what is wanted often stands early.
class NameFinder {
 public:
  /// `devices` must outlive the object and stay where they are.
  explicit NameFinder(std::vector<PciDevice>& devices);

  /// False once every device has its name: the rest of the list is not needed.
  bool take(std::string_view piece);
  /// The last line may have no end.
  void finish();

 private:
  struct Wanted {
    PciDevice* device;
    bool found = false;
  };
  using DevicesById = std::multimap<std::uint16_t, Wanted>;

  void take_line(std::string_view line);

  std::map<std::uint16_t, DevicesById> vendors_;
  std::size_t missing_ = 0;
  DevicesById* below_ = nullptr;  ///< the devices of the vendor whose entries are being read; null: none is wanted
  std::string vendor_;
  std::string begun_;  ///< the start of a line whose end has not come yet
};

}  // namespace gpucoop
