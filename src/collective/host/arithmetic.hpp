#pragma once

#include <cstddef>
#include <cstdint>

#include "collective/collective.hpp"

namespace gpucoop::collective::host {

/// `out[i] = a[i] op b[i]`; each may be the same memory as another one. `avg` adds, and `finish` divides. Integers
/// wrap; float16 and bfloat16 are rounded to the nearest after each operation.
void combine(std::byte* out, const std::byte* a, const std::byte* b, std::uint64_t count, DataType type, ReduceOp op);

/// The last step of `avg` over `ranks` ranks: integers are divided towards 0. Nothing for the other operators.
void finish(std::byte* values, std::uint64_t count, DataType type, ReduceOp op, unsigned ranks);

}  // namespace gpucoop::collective::host
