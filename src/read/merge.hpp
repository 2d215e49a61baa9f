#pragma once

#include <optional>
#include <vector>

#include "base/error.hpp"
#include "model/recording.hpp"

namespace gpucoop {

/// Joins readings into one recording. Each part is one listing (one run of lspci, one tree, one XML file) with
/// its own `sources` entry; places are renumbered. Better sources win (live, recording, hex, verbose text,
/// XML, list, tree), missing values are filled from the others, and values that differ are kept as `disagreements`.
/// Two hosts (one address, different vendor and device) are `bad_input` naming both, unless `dump` (from 1) chooses.
[[nodiscard]] Result<Recording> merge(std::vector<Recording> parts, std::optional<unsigned> dump);

}  // namespace gpucoop
