#pragma once

#include <string>

#include "codeobj/collector.hpp"
#include "codeobj/inspect.hpp"
#include "codeobj/kpack.hpp"

namespace gpucoop::codeobj {

/// A path of a reference with a target in its place, as the runtime forms it.
[[nodiscard]] std::string expand(const std::string& pattern, std::string_view target);

/// Finds the archives that a reference and the environment name, reads those that are there, and lists in
/// `library.kpacks` these and those that are missing for the targets asked about.
void read_kpack_files(const KpackReference& reference, const InspectOptions& options, Library& library,
                      Collector& collector);

}  // namespace gpucoop::codeobj
