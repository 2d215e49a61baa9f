#pragma once

namespace gpucoop::runtime::cuda {

// Parts of the device code (runtime/cuda/kernels.hpp); the first goes first.
// Loads of what others write are volatile, so that no cache answers for them; writes for others are followed by a fence
// of system scope. pattern_word is runtime::Pattern::word.
[[nodiscard]] const char* ptx_memory();
[[nodiscard]] const char* ptx_checks();

}  // namespace gpucoop::runtime::cuda
