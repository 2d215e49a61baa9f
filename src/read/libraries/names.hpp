#pragma once

#include <string_view>

namespace gpucoop {

/// The name of a file that this program looks into: `librccl.so`, `libnccl.so.2`, `libccl.so.1.0`, `libggml-hip.so`,
/// `libtorch_cuda.so`. Not `librccl-net.so`, which is a plugin.
[[nodiscard]] bool is_library_name(std::string_view name);
/// Of these, one that does collectives itself: RCCL, NCCL, oneCCL.
[[nodiscard]] bool is_collective_name(std::string_view name);

}  // namespace gpucoop
