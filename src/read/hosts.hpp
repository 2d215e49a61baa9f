#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/recording.hpp"

namespace gpucoop {

/// One address with different devices in two parts: two hosts.
struct HostConflict {
  std::string first;  ///< `0000:01:00.0 NVIDIA … [10de:2204] (a.txt:3)`
  std::string second;
  std::string where;  ///< the place of the second
};

/// Which host each part describes.
struct HostGroups {
  /// Beyond that, parts are no longer told apart: the input is refused anyway.
  static constexpr std::size_t kMostHosts = 64;

  std::vector<std::size_t> host_of_part;  ///< from 0, in the order of appearance
  std::size_t hosts = 0;
  std::vector<HostConflict> conflicts;  ///< of host 1, 2, … with an earlier one
};

/// Groups parts by host; see `merge`. Linear in the number of devices: the number of hosts is bounded.
[[nodiscard]] HostGroups group_hosts(const std::vector<Recording>& parts);

}  // namespace gpucoop
