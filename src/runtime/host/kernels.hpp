#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/runtime.hpp"

namespace gpucoop::runtime::host {

// What a GPU does in kernels, done by the thread of a stream. Each is bounded by its size or by a clock.

void store_pattern(std::uint32_t* to, std::uint64_t words, const Pattern& pattern);
void count_up(std::uint32_t* counter, std::uint32_t times);

/// Words of the payload of a handshake over a side of `bytes` bytes.
[[nodiscard]] std::uint64_t payload_words(std::uint64_t bytes);
/// One side; `own` and `other` begin with the flag.
[[nodiscard]] HandshakeEnd shake_hands(std::byte* own, std::byte* other, std::uint64_t words, const Handshake& what,
                                       const std::atomic<bool>& stop);

}  // namespace gpucoop::runtime::host
