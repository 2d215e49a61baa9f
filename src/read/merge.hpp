#pragma once

#include <optional>
#include <vector>

#include "base/error.hpp"
#include "model/recording.hpp"

namespace gpucoop {

/// Joins readings into one recording. Each part is one listing (one run of lspci, one tree, one XML file) with
/// its own `sources` entry; places are renumbered. Better sources win (live, recording, hex, verbose text,
/// XML, list, tree), missing values are filled from the others, and values that differ are kept as `disagreements`.
/// `sources` names each file and kind once, the main one first: text before hex where both list devices, then XML,
/// trees and logs. `listing_complete` is true only if some part is a complete listing and every device that is no
/// bridge has a class: a tree names addresses only.
///
/// Two hosts (one address, different vendor and device) are `bad_input` naming both, unless `dump` (from 1) chooses.
/// Hosts are numbered in the order in which they appear. A part belongs to the first host that it agrees with on a
/// device; one that agrees with none, to the host of the part before it; one that contradicts all, to a new one.
/// A link that has retrained between two runs is a disagreement, not another host. One address twice inside a part
/// is a warning, and the first is kept.
[[nodiscard]] Result<Recording> merge(std::vector<Recording> parts, std::optional<unsigned> dump);

}  // namespace gpucoop
