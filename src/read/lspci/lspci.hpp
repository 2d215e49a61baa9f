#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/recording.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What a text says: one part for each run of lspci and each tree in it, in their order, and before them one part
/// without devices that holds kernel-log lines, words about the host and the warnings.
/// Fails with `bad_input` where no device, no tree and no kernel-log line was recognised.
/// Forms: pciutils lspci.c, ls-caps.c, ls-ecaps.c, ls-tree.c (3.4 to 3.14), however mail or markdown has treated them.
[[nodiscard]] Result<std::vector<Recording>> read_lspci_text(const std::string& file, std::string_view bytes,
                                                             const Rules& rules);

}  // namespace gpucoop
