#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "probe/outcome.hpp"

// What all runs of a probe say together. Pure.
namespace gpucoop::probe {

/// Why a rung is not there to stand on: `did not pass`, `was refused`, `was skipped`, `was not shown here`.
[[nodiscard]] std::string how_it_stands(const std::vector<Trace>& traces, const std::string& rung,
                                        const std::vector<Address>& gpus);

/// Crossed groups that stop without a wait in between (the trace `at`) and pass with one: their communicators disturb
/// each other, which the run is then told.
void tell_crossed(std::vector<Trace>& traces, std::size_t at);

/// Adds `ccl.works_with`, absent where the all-reduce over all `devices` works by itself, and `ccl.with_setting`.
/// `cure`: the settings with which it passed; empty: none.
void add_cure(std::vector<Trace>& traces, std::size_t devices, const std::string& cure, std::vector<Fact>& facts);

}  // namespace gpucoop::probe
