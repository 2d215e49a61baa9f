#pragma once

#include <cstdint>
#include <string>

#include "runtime/pattern.hpp"

namespace gpucoop::runtime {

/// Compares words with a pattern, whose word 0 belongs at `words`. `before`: what stood there until then. What a wrong
/// word is, in this order: lost, stale, all ones, zero, shifted; one that is none of them counts as wrong only.
/// The reference for the kernels that compare on a device.
[[nodiscard]] Mismatch compare(const std::uint32_t* words, std::uint64_t count, const Pattern& expected,
                               const Pattern& before);

/// Words that were to stay what they were: those that are not any more count as `guard`.
[[nodiscard]] Mismatch compare_guard(const std::uint32_t* words, std::uint64_t count, const Pattern& before);

/// Two parts of one buffer as one; the first wrong word is the one of the first that has any.
[[nodiscard]] Mismatch joined(const Mismatch& a, const Mismatch& b);

/// `lost 12, stale 3; first at byte 4096: 0x0000beef instead of 0x0000cafe`; empty where nothing is wrong.
[[nodiscard]] std::string describe(const Mismatch& mismatch);

}  // namespace gpucoop::runtime
