#pragma once

#include <string>
#include <string_view>

namespace gpucoop::recording_file {

/// The parameters of a kernel command line that may be recorded: those whose key is about PCI, the IOMMU or a GPU
/// driver *and* whose value consists of known words, short numbers, PCI addresses and ids. The others are left out
/// whole.
[[nodiscard]] std::string recorded_parameters(std::string_view command_line);

}  // namespace gpucoop::recording_file
