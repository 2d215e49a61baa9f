#pragma once

#include "base/error.hpp"
#include "model/probe.hpp"
#include "model/topology.hpp"
#include "rules/rules.hpp"

namespace gpucoop {

/// Adds what probes found on this host to the facts: it replaces what nobody knew and what weaker evidence says. Of
/// equally good evidence that differs neither wins: the fact is then unknown, for `disagreement`, with a warning.
/// Evidence that the results do not carry is made from their runs. Facts that the catalogue does not know, or counts as
/// static (unless drivers know them as well: `asked`), are left out with a warning. `bad_input`, and nothing added,
/// where the results are of another host, by `fingerprint`, or name a device that is no GPU of this one; its `where` is
/// for the caller, who knows the file.
[[nodiscard]] Status add_measurements(Topology& topology, const Measurements& measured, const Rules& rules);

}  // namespace gpucoop
