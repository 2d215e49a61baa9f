#pragma once

#include <string>
#include <vector>

#include "model/inspection.hpp"
#include "render/page.hpp"

// How answers about libraries are said.
namespace gpucoop::words {

/// `RCCL 2.27.7`, `oneCCL`, `a library of ggml (NCCL 2.28.3 inside)`.
[[nodiscard]] std::string library_name(const Library& library);

/// GPUs of which the same is to be said.
struct SameAnswer {
  std::vector<Address> gpus;
  const LibraryAnswer* answer = nullptr;
  const InspectedGpu* gpu = nullptr;  ///< the first of them
};
[[nodiscard]] std::vector<SameAnswer> grouped(const InspectedLibrary& library, const std::vector<InspectedGpu>& gpus);

/// `carries its code`, `does not carry its code: …`.
[[nodiscard]] std::string code(const LibraryAnswer& answer, const InspectedGpu& gpu);
/// `3 of 15 kernels declare a hostcall buffer, so that it needs PCIe atomics, which reach …`. Empty where the
/// question does not arise.
[[nodiscard]] std::string hostcall(const LibraryAnswer& answer, const InspectedGpu& gpu);
[[nodiscard]] Style style(const LibraryAnswer& answer, const InspectedGpu& gpu);

}  // namespace gpucoop::words
