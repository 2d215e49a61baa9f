#pragma once

#include "wire/nvml.hpp"

namespace gpucoop::runtime::nvml {

/// Active links of `a` that end at `b`, or, where they end at switches, those that both have.
[[nodiscard]] Known<std::uint32_t> links_between(const wire::NvmlGpu& a, const wire::NvmlGpu& b);

}  // namespace gpucoop::runtime::nvml
