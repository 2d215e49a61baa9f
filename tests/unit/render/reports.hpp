#pragma once

#include "model/report.hpp"

// Hand-made reports that the views are tested on.
namespace gpucoop::test {

[[nodiscard]] Address at(const char* text);
/// Two AMD cards, the second behind the chipset: atomics blocked at 05:00.0 and 06:09.0, 16 GT/s x1.
[[nodiscard]] Report blocked_board();
/// Two AMD cards, each on its own root port.
[[nodiscard]] Report clean_board();
/// Two NVIDIA cards in a guest that hides the chain.
[[nodiscard]] Report flat_guest();
/// Sixteen NVIDIA cards with NVLink, two boards of eight.
[[nodiscard]] Report sixteen();
[[nodiscard]] Report one_gpu();
/// A complete listing without a GPU.
[[nodiscard]] Report no_gpu();
/// No device list at all.
[[nodiscard]] Report no_list();

}  // namespace gpucoop::test
