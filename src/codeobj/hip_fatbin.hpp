#pragma once

#include <cstdint>
#include <string_view>

#include "codeobj/collector.hpp"
#include "codeobj/source.hpp"

namespace gpucoop::codeobj {

/// Reads what lies one after another in `[from, to)`, at any alignment: clang's offload bundles, plain and compressed
/// (LLVM, "Clang Offload Bundler"), and bare code objects. Gives how many of these there are.
std::uint64_t read_hip_fatbin(Source& file, std::uint64_t from, std::uint64_t to, std::string_view path,
                              Collector& collector);

}  // namespace gpucoop::codeobj
