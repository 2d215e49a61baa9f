#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "base/address.hpp"
#include "base/error.hpp"
#include "model/topology.hpp"

namespace gpucoop {

/// What `--gpus` names, before a host is known.
struct GpuSelection {
  struct Range {  ///< of places in the report's list of GPUs, both included
    std::size_t first = 0;
    std::size_t last = 0;
  };
  std::vector<std::variant<Range, Address>> items;
};

/// Reads `0,1,3`, `0-3`, `0b:00.0,0000:0c:00.0` or a mixture. What is none of these is a `usage` error.
[[nodiscard]] Result<GpuSelection> parse_gpu_selection(const std::string& text);

/// The GPUs of the host that are meant, in the report's order. `usage` where one is named twice, `bad_input` where the
/// host has no such GPU or it is a display that cannot compute.
[[nodiscard]] Result<std::vector<Address>> find_selected(const GpuSelection& selection, const Topology& topology);

}  // namespace gpucoop
