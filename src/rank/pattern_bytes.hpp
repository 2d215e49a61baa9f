#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/pattern.hpp"

namespace gpucoop::rank {

/// The words of a pattern from `first` on. Operands of 64 MiB are made of them, so that it is done as fast as the
/// processor can.
void fill_words(const runtime::Pattern& pattern, std::uint64_t first, std::uint64_t count, std::uint32_t* out);

/// The bytes of a pattern from byte `first` on.
void fill_bytes(const runtime::Pattern& pattern, std::uint64_t first, std::uint64_t bytes, std::byte* out);

}  // namespace gpucoop::rank
