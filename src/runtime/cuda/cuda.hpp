#pragma once

#include <memory>
#include <string>

#include "runtime/runtime.hpp"

namespace gpucoop::runtime::cuda {

/// NVIDIA's driver, loaded from `library` (empty: libcuda.so.1, by the loader's search) and initialised. `skipped`
/// where there is none, else what it says. To be called while this process has a single thread, since it changes the
/// environment.
[[nodiscard]] Outcome<std::unique_ptr<Runtime>> load(const std::string& library = {});

/// `00000000:0B:00.0` and `0000:0b:00.0` as reports write it: four digits of domain where they suffice, lower case.
/// Empty where it is no such address.
[[nodiscard]] std::string normal_address(const std::string& text);

}  // namespace gpucoop::runtime::cuda
