#pragma once

#include <string>

#include "model/diff.hpp"

// How the text view of a difference says things.
namespace gpucoop::words {

/// `expected no`, `degraded`, `unknown`; `not judged` where there is none.
[[nodiscard]] std::string outcome(const std::optional<VerdictChange::Outcome>& outcome);
/// `card 1 (0b:00.0, before 03:00.0)`
[[nodiscard]] std::string card(const GpuChange& gpu);
/// Everything that changed about the card, in a sentence without its beginning; "" where nothing did.
[[nodiscard]] std::string card_changes(const GpuChange& gpu);
/// The values that became known, or are no longer, in words; "" where there is none.
[[nodiscard]] std::string known_changes(const std::vector<ValueChange>& changes);
/// Those that changed: `slot PCIEX16_2 → PCIEX16_1; driver vfio-pci → amdgpu`.
[[nodiscard]] std::string real_changes(const std::vector<ValueChange>& changes);
/// A value on its own: `true`, `31.5`, `none`, `not known`.
[[nodiscard]] std::string value(const Known<FactValue>& value);

}  // namespace gpucoop::words
