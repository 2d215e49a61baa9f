#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpucoop {

/// One record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg).
struct KmsgRecord {
  std::uint64_t sequence = 0;
  bool from_kernel = false;   ///< facility 0; programs can write records of the others
  bool continuation = false;  ///< goes on where the record before ended
  std::string text;           ///< escaped bytes (`\x0a`) put back
};

/// Reads `6,339,5140900,-;text`; what follows its first line end (` SUBSYSTEM=pci`) is left out. None where it is no
/// record.
[[nodiscard]] std::optional<KmsgRecord> parse_kmsg(std::string_view record);

}  // namespace gpucoop
