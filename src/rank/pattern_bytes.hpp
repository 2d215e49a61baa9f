#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/pattern.hpp"

namespace gpucoop::rank {

/// The bytes of a pattern from byte `first` on.
void fill_bytes(const runtime::Pattern& pattern, std::uint64_t first, std::uint64_t bytes, std::byte* out);

}  // namespace gpucoop::rank
