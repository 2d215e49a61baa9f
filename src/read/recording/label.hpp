#pragma once

#include <string>
#include <string_view>

namespace gpucoop::recording_file {

/// The name of a slot or of a part on the board, as far as it consists of words that boards use for them, single
/// letters and short numbers: `PCIEX16(G5)_2`, `CPU1 SLOT3 PCI-E 4.0 X16`, `Onboard - Ethernet`. Words that are
/// anything else are left out.
[[nodiscard]] std::string admitted_label(std::string_view text);

}  // namespace gpucoop::recording_file
