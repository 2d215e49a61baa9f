#pragma once

#include "model/diff.hpp"
#include "model/report.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// What differs between two reports. GPUs are the same where address and ids are; of the rest those of equal ids are
/// taken for each other in the order of their addresses, so that a card that moved, or a board on which everything has
/// another address, is no other card. Nothing differs by mere order. Facts are compared where both readings are about
/// the same GPUs; those that no rule rests on are left out unless `all_facts`. Linear in the facts, quadratic in the
/// GPUs.
[[nodiscard]] Diff diff(const Report& before, const Report& after, const Rules& rules, bool all_facts = false);

}  // namespace gpucoop
